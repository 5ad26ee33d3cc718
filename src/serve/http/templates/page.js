// Fetches the board again every so often, and sends what the buttons ask for. Without it the page is there to read.
"use strict";

(() => {
  const EVERY = 20_000;
  const board = document.getElementById("board");
  const answer = document.getElementById("answer");
  const lost = document.getElementById("lost");
  let shown = "";
  let busy = false;

  async function refresh() {
    let text;
    try {
      const response = await fetch("/board", { headers: { accept: "text/html" } });
      if (response.status === 401) {
        location.reload();
        return;
      }
      if (!response.ok) throw new Error(String(response.status));
      text = await response.text();
    } catch {
      lost.hidden = false;
      return;
    }
    lost.hidden = true;
    if (text !== shown) show(text);
  }

  // What has the focus keeps it: each button has an id of its own.
  function show(text) {
    shown = text;
    const focused = board.contains(document.activeElement) ? document.activeElement.id : "";
    const page = new DOMParser().parseFromString(text, "text/html");
    board.replaceChildren(...page.body.childNodes);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  async function ask(path, body) {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const said = await response.json();
    if (!response.ok) throw new Error(`${board.dataset.failed}${board.dataset.colon}${said.detail}`);
    return said;
  }

  async function run(button) {
    const said = await ask("/api/run", { tasks: [button.dataset.run] });
    const several = said.answers.length > 1;
    const account = (key) => (several ? `${key.slice(key.lastIndexOf("@") + 1)} ` : "");
    const lines = said.answers.map((one) => account(one.key) + one.said);
    return `${button.dataset.name}${board.dataset.colon}${lines.join(" · ") || board.dataset.none}`;
  }

  async function close(button) {
    await ask(`/api/tickets/${button.dataset.close}/close`, {});
    return button.dataset.said;
  }

  async function press(button) {
    if (busy) return;
    busy = true;
    button.setAttribute("aria-busy", "true");
    try {
      answer.textContent = await (button.dataset.run ? run(button) : close(button));
    } catch (error) {
      answer.textContent = error instanceof TypeError ? board.dataset.unreachable : error.message;
    }
    busy = false;
    button.removeAttribute("aria-busy");
    await refresh();
  }

  board.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-run], button[data-close]");
    if (button) press(button);
  });
  answer.addEventListener("click", () => (answer.textContent = ""));
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  setInterval(() => document.hidden || refresh(), EVERY);
})();
