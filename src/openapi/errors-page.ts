/** /docs/errors: every error code, what it means and what to do about it, from the one table of codes. */
import { STATUS_CODES } from 'node:http'
import { ApiError, ERRORS, errorBody } from '../http/api-error'
import { renderFrame } from './reference-frame'

type Code = keyof typeof ERRORS

const CODES = Object.keys(ERRORS) as Code[]

/** Renders the page as HTML. Each code is an anchor, to which the `type` of an error response points. */
export function renderErrorsPage(): string {
  const statuses = [...new Set(CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return renderFrame({
    title: 'Error codes',
    root: '../',
    lead: '<p>Every failure has one of these values as its <code>code</code>. Codes are stable: one may be added, none changes its meaning.</p>',
    content: `<section aria-labelledby="shape">
<h2 id="shape">The shape</h2>
<div>
<p class="intro">Programs should check <code>code</code>. <code>detail</code> is for people, and says what was wrong this time; <code>error</code> repeats it for clients that look there. The log of the server has the <code>request_id</code>. Some codes have additional members.</p>
<pre class="block">${renderExample()}</pre>
<p class="fine">Ollama’s paths, <code>/api/chat</code> among them, send the same object as <code>application/json</code>, the only type under which clients of Ollama read errors; they show <code>error</code>. Those below <code>/api/openai</code> answer as OpenAI’s clients read errors: with an object <code>error</code> with <code>message</code>, <code>type</code>, <code>param</code> and <code>code</code>, and in <code>x_satchel</code> the code and the additional members. <code>/api/mcp</code> answers with errors of JSON-RPC, whose <code>data</code> has the code and the additional members.</p>
</div>
</section>
${statuses.map(renderStatus).join('\n')}`,
  })
}

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
