/** /docs/errors: every error code, what it means and what to do about it, from the one table of codes. */
import { STATUS_CODES } from 'node:http'
import { problemBody, Refusal } from '../http/problem'
import { PROBLEMS } from '../http/problem-codes'

type Code = keyof typeof PROBLEMS

const CODES = Object.keys(PROBLEMS) as Code[]

/** The whole page as HTML. Each code is an anchor, since the `type` of an error response points at it. */
export function errorsPage(): string {
  const statuses = [...new Set(CODES.map((code) => PROBLEMS[code].status))].sort((a, b) => a - b)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Error codes – Satchel</title>
<meta name="description" content="Every error code of this Satchel server, what it means and what to do about it.">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Satchel</a>
<nav aria-label="Documentation"><a href="/docs">API documentation</a></nav>
</header>
<main id="content" tabindex="-1">
<div class="hero">
<h1>Error codes</h1>
<p class="lead">Every failure has the same shape, with one of these values as its <code>code</code>. Codes are stable: one may be added, none changes its meaning.</p>
</div>
<section aria-labelledby="shape">
<h2 id="shape">The shape</h2>
<div>
<p class="intro">Programs go by <code>code</code>. People read <code>detail</code>, which says what was wrong this time; <code>error</code> repeats it for clients that look there. The log of the server has the <code>request_id</code>. Some codes bring members of their own.</p>
<pre class="block">${example()}</pre>
</div>
</section>
${statuses.map(section).join('\n')}
</main>
<footer class="foot"><a href="/">Your keys</a> <a href="/docs">API documentation</a> <a href="/openapi.json">OpenAPI</a></footer>
</body>
</html>
`
}

/** A failure as the API answers it. */
function example(): string {
  const refusal = new Refusal('not_found', 'There is no note with this id in your workspace.')
  return Bun.escapeHTML(JSON.stringify(problemBody(refusal, '0193b2c4-7a10-7000-8000-4d5e6f708192'), null, 2))
}

/** All codes of one status, in the order of the table: the most common first. */
function section(status: number): string {
  const codes = CODES.filter((code) => PROBLEMS[code].status === status)
  return `<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} <span class="phrase">${STATUS_CODES[status] ?? ''}</span></h2>
<div>
${codes.map(article).join('\n')}
</div>
</section>`
}

function article(code: Code): string {
  const { status, title, help } = PROBLEMS[code]
  return `<article class="problem" id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<p class="fine">${status} ${Bun.escapeHTML(title)}</p>
<p>${Bun.escapeHTML(help).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
</article>`
}
