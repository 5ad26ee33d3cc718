// Fetches the board again every so often, and sends what the buttons ask for. Without it the page is there to read.
"use strict";

(() => {
  const EVERY = 20_000;
  const board = document.getElementById("board");
  const answer = document.getElementById("answer");
  const lost = document.getElementById("lost");
  const colon = document.documentElement.lang === "en" ? ": " : "：";
  let busy = false;
  // A key or a finger that is down on a button that is put away in between would come up on nothing.
  let held = false;
  let waiting = "";

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
    if (held) waiting = text;
    else show(text);
  }

  // What is as it was stays where it is, and what has the focus keeps it: each button has an id of its own.
  function show(text) {
    const focused = board.contains(document.activeElement) ? document.activeElement.id : "";
    const page = new DOMParser().parseFromString(text, "text/html");
    patchChildren(board, page.body);
    if (!focused || document.activeElement.id === focused) return;
    (document.getElementById(focused) ?? document.getElementById("tasks")).focus({ preventScroll: true });
  }

  function patchChildren(old, fresh) {
    if (old.childElementCount !== fresh.childElementCount) {
      old.replaceChildren(...fresh.childNodes);
      return;
    }
    [...old.children].forEach((child, place) => patch(child, fresh.children[place]));
  }

  function patch(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    const same = old.cloneNode(false).isEqualNode(fresh.cloneNode(false));
    if (same && old.childElementCount && !hasText(old) && !hasText(fresh)) patchChildren(old, fresh);
    else old.replaceWith(fresh);
  }

  function hasText(element) {
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  }

  function hold(down) {
    held = down;
    if (down || !waiting) return;
    // The click comes after the key or the finger.
    setTimeout(() => {
      if (!held) show(waiting);
      waiting = "";
    });
  }

  async function ask(path, body) {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const said = await response.json();
    if (!response.ok) throw new Error(`${board.dataset.failed}${colon}${said.detail}`);
    return said;
  }

  async function run(button) {
    const said = await ask("/api/run", { tasks: [button.dataset.run] });
    const several = said.answers.length > 1;
    const account = (key) => (several ? `${key.slice(key.lastIndexOf("@") + 1)} ` : "");
    const lines = said.answers.map((one) => account(one.key) + one.said);
    return `${button.dataset.name}${colon}${lines.join(" · ") || board.dataset.none}`;
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
  for (const down of ["keydown", "pointerdown"]) board.addEventListener(down, () => hold(true));
  for (const up of ["keyup", "pointerup", "pointercancel", "blur"]) addEventListener(up, () => hold(false));
  answer.addEventListener("click", () => (answer.textContent = ""));
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  setInterval(() => document.hidden || refresh(), EVERY);
})();
