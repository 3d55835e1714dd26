// Buttons say by their data which event they are; times are shown by the reader's own clock.
const events = [
  "begin", "rerun", "pause", "resume", "end", "refresh", "open", "send", "send_again", "dismiss",
];
const short = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

function update() {
  for (const time of element.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    const today = at.toDateString() === new Date().toDateString();
    const long = "long" in time.dataset || !today;
    time.textContent = at.toLocaleString([], long ? { day: "numeric", month: "short", ...short } : short);
  }
}

element.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do]");
  if (!button || !events.includes(button.dataset.do)) return;
  if ("once" in button.dataset) button.disabled = true;
  trigger(button.dataset.do, { pick: button.dataset.pick ?? "" });
});
watch("value", update);
update();
