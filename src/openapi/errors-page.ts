/** /docs/errors: every error code, what it means and what to do about it, from the one table of codes. */
import { STATUS_CODES } from 'node:http'
import { ApiError, ERRORS, errorBody } from '../http/api-error'

type Code = keyof typeof ERRORS

const CODES = Object.keys(ERRORS) as Code[]

/** Renders the page as HTML. Each code is an anchor, to which the `type` of an error response points. */
export function renderErrorsPage(): string {
  const statuses = [...new Set(CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Error codes – Satchel</title>
<meta name="description" content="Every error code of this Satchel server, what it means and what to do about it.">
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="../style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead">
<a class="brand" href="../"><img src="../icon.svg" alt="" width="28" height="28">Satchel</a>
<nav aria-label="Documentation"><a href="../docs">API documentation</a></nav>
</header>
<main id="content" tabindex="-1">
<div class="hero">
<h1>Error codes</h1>
<p class="lead">Every failure has one of these values as its <code>code</code>. Codes are stable: one may be added, none changes its meaning.</p>
</div>
<section aria-labelledby="shape">
<h2 id="shape">The shape</h2>
<div>
<p class="intro">Programs should check <code>code</code>. <code>detail</code> is for people, and says what was wrong this time; <code>error</code> repeats it for clients that look there. The log of the server has the <code>request_id</code>. Some codes have additional members.</p>
<pre class="block">${renderExample()}</pre>
<p class="fine">Ollama’s paths, <code>/api/chat</code> among them, send the same object as <code>application/json</code>, the only type under which clients of Ollama read errors; they show <code>error</code>. Those below <code>/api/openai</code> answer as OpenAI’s clients read errors: with an object <code>error</code> with <code>message</code>, <code>type</code>, <code>param</code> and <code>code</code>, and in <code>x_satchel</code> the code and the additional members. <code>/api/mcp</code> answers with errors of JSON-RPC, whose <code>data</code> has the code and the additional members.</p>
</div>
</section>
${statuses.map(renderStatus).join('\n')}
</main>
<footer class="foot"><a href="../">Your keys</a> <a href="../docs">API documentation</a> <a href="../openapi.json">OpenAPI</a></footer>
</body>
</html>
`
}

/** Renders an example of an error. */
function renderExample(): string {
  const refusal = new ApiError('not_found', 'There is no note with this id in your workspace.')
  return Bun.escapeHTML(JSON.stringify(errorBody(refusal, '0193b2c4-7a10-7000-8000-4d5e6f708192'), null, 2))
}

/** Renders all codes of one status, in the order of the table: the most common first. */
function renderStatus(status: number): string {
  const codes = CODES.filter((code) => ERRORS[code].status === status)
  return `<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} <span class="phrase">${STATUS_CODES[status] ?? ''}</span></h2>
<div>
${codes.map(renderCode).join('\n')}
</div>
</section>`
}

function renderCode(code: Code): string {
  const { status, title, help } = ERRORS[code]
  const helpHtml = Bun.escapeHTML(help).replace(/`([^`]+)`/g, '<code>$1</code>')
  return `<article class="problem" id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<p class="fine">${status} ${Bun.escapeHTML(title)}</p>
<p>${helpHtml}</p>
</article>`
}
