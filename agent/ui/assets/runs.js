element.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-run]");
  if (button) trigger("pick", { run: button.dataset.run });
});
