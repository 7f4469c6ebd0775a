// What the console does in a browser besides showing pages; every page reads and works without it.

const live = document.querySelector("[data-live]");

function say(state, text) {
  if (live && live.dataset.live !== state) {
    live.dataset.live = state;
    live.textContent = text;
  }
}

document.body.addEventListener("htmx:sseOpen", () => say("on", "live"));
document.body.addEventListener("htmx:sseError", () => say("off", "not live: connecting again"));
document.body.addEventListener("htmx:sseMessage", (event) => {
  const row = event.target;
  if (row instanceof HTMLTableRowElement || row instanceof HTMLLIElement) {
    row.classList.remove("fresh");
    void row.offsetWidth; // so that the animation begins again
    row.classList.add("fresh");
  }
});

// "/" leads to the search, as long as nobody is typing.
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const box = document.getElementById("q");
    if (box) {
      event.preventDefault();
      box.focus();
    }
  }
});

// A table that shows all of its rows is sorted by the buttons in its header.
for (const table of document.querySelectorAll("table[data-whole]")) {
  if (table.tBodies[0].rows.length > 1) {
    table.classList.add("sortable", "n-last", "asc");
    for (const head of table.tHead.rows[0].cells) {
      if (!head.classList.contains("acts")) {
        const button = document.createElement("button");
        button.className = "sort";
        button.append(...head.childNodes);
        head.append(button);
      }
    }
  }
}

// A command is sent once, however often its button is pressed; the key in the form says so to the service, too.
for (const form of document.querySelectorAll("form.command")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent && event.submitter?.name !== "rows") {
      event.preventDefault();
    }
    if (event.submitter?.name !== "rows") {
      form.dataset.sent = "yes";
    }
  });
}
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form.command")) {
    delete form.dataset.sent;
  }
});
