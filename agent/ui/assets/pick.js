element.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-pick]");
  if (button) trigger("pick", { pick: button.dataset.pick });
});
