// Gradio patches the elements in place at each update, which resets every <details> to what the
// server says; the reader's own choice wins over that.
const choices = new Map();
let remembered = "";

function update() {
  for (const details of element.querySelectorAll("details[data-key]"))
    if (choices.has(details.dataset.key)) details.open = choices.get(details.dataset.key);
  const run = props.value.run_id;
  if (!props.in_address || !run || run === remembered) return;
  remembered = run;
  const address = new URL(location.href);
  address.searchParams.set("run", run);
  history.replaceState(history.state, "", address);
  sessionStorage.setItem("run", run);
  const known = (localStorage.getItem("runs") ?? "").split(",").filter((id) => id && id !== run);
  localStorage.setItem("runs", [run, ...known].slice(0, 200).join(","));
}

const actions = {
  async copy(button) {
    await copyText(button.dataset.text);
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  },
  async download(button) {
    const link = document.createElement("a");
    const trace = await server.trace(button.dataset.run);
    link.href = URL.createObjectURL(new Blob([trace], { type: "application/x-ndjson" }));
    link.download = button.dataset.run + ".jsonl";
    link.click();
    URL.revokeObjectURL(link.href);
  },
  again(button) { trigger("again", { pick: button.dataset.run }); },
};

// The clipboard API exists on https and localhost only; the app may be read over a plain network.
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

element.addEventListener("click", (event) => {
  const details = event.target.closest("summary")?.parentElement;
  if (details) choices.set(details.dataset.key, !details.open);
  const button = event.target.closest("button[data-do]");
  if (button) actions[button.dataset.do](button);
});
watch("value", update);
update();
