const events = ["pull", "halt"];
element.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do]");
  if (button && events.includes(button.dataset.do))
    trigger(button.dataset.do, { pick: button.dataset.pick });
});
