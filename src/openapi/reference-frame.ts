/** The frame of the pages of the documentation. */

/** A page of the documentation, without its frame. */
interface Page {
  readonly title: string
  /** The way from the page to the root: `./`, `../` or `../../`. */
  readonly root: string
  /** HTML, as `content` is. */
  readonly lead: string
  /** The sections. */
  readonly content: string
}

/** Puts a page into the frame that all pages of the documentation have: masthead, script, styles and foot. */
export function renderFrame({ title, root, lead, content }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)} – Satchel</title>
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}style.css">
<link rel="stylesheet" href="${root}docs-pages.css">
<script type="module" src="${root}docs.js"></script>
</head>
<body class="docs" data-root="${root}">
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead">
<a class="brand" href="${root}"><img src="${root}icon.svg" alt="" width="28" height="28">Satchel</a>
<nav aria-label="Documentation"><a href="${root}docs">API documentation</a> <a href="${root}docs/errors">Error codes</a></nav>
</header>
<main id="content" tabindex="-1">
<div class="hero">
<h1>${Bun.escapeHTML(title)}</h1>
${lead && `<div class="lead">${lead}</div>`}
</div>
${content}
</main>
<footer class="foot"><a href="${root}">Your keys</a> <a href="${root}docs">API documentation</a> <a href="${root}docs/errors">Error codes</a> <a href="${root}openapi.json">OpenAPI</a></footer>
<div id="said" class="unseen" role="status"></div>
</body>
</html>
`
}
