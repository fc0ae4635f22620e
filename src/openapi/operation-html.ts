/** One operation as a section of its group's page. */
import { STATUS_CODES } from 'node:http'
import { SAMPLE_LANGUAGES, writeSample } from '../../public/docs-samples.js'
import { escapeHtml, renderMarkdown, renderTable, renderType } from './html'
import type { JsonObject } from './json-schema'
import type { Answer, Operation } from './reference-model'
import { type SampleRequest, sampleRequest } from './samples'

export function renderOperation(operation: Operation, document: JsonObject, root: string): string {
  const { id, method, path, summary, description } = operation
  const content = [
    description && `<div class="prose">${renderMarkdown(description, root)}</div>`,
    renderSamples(operation, document),
    renderParameters(operation, root),
    renderBody(operation),
    renderAnswers(operation, root),
    renderErrors(operation, root),
  ]
  return `<section class="call" id="${id}" aria-labelledby="${id}-title" data-method="${method}" data-path="${escapeHtml(path)}">
<div><h2 id="${id}-title"><a href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="address"><strong>${method}</strong> <code>${escapeHtml(path)}</code></p></div>
<div class="stack">
${content.filter(Boolean).join('\n')}
</div>
</section>`
}

function renderParameters({ parameters, summary }: Operation, root: string): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, place, isRequired, schema, description }) => ({
    name,
    schema,
    isRequired,
    description: place === 'query' ? description : `${place === 'path' ? 'In the path.' : 'A header.'} ${description}`,
  }))
  return `<h3>Parameters</h3>\n${renderTable(rows, root, `Parameters: ${summary}`)}`
}

function renderBody({ body }: Operation): string {
  if (!body) return ''
  const kinds = body.contents.map(({ mediaType, schema }) =>
    mediaType === 'application/json'
      ? `<p>JSON: ${renderType(schema)}</p>`
      : `<p><code>${escapeHtml(mediaType)}</code></p>`,
  )
  return `<h3>Body${body.isRequired ? '' : ', optional'}</h3>\n${kinds.join('\n')}`
}

function renderAnswers({ answers }: Operation, root: string): string {
  const good = answers.filter(({ status }) => status < 400)
  return `<h3>Answer</h3>\n<dl class="answers">${good.map((answer) => renderAnswer(answer, root)).join('\n')}</dl>`
}

function renderAnswer({ status, description, contents }: Answer, root: string): string {
  const kinds = contents.map(({ mediaType, schema }) =>
    mediaType === 'application/json' ? `JSON: ${renderType(schema)}` : `<code>${escapeHtml(mediaType)}</code>`,
  )
  const text = [renderMarkdown(description, root, 'inline'), kinds.join('; or ')].filter(Boolean).join(' ')
  return `<div><dt>${status}<dd>${text}</div>`
}

function renderErrors({ answers }: Operation, root: string): string {
  const bad = answers.filter(({ status }) => status >= 400)
  if (bad.length === 0) return ''
  const rows = bad.map(
    ({ status, description }) =>
      `<div><dt>${status}<dd>${renderMarkdown(describe(status, description), root, 'inline')}</div>`,
  )
  return `<h3>Errors</h3>\n<dl class="answers">${rows.join('\n')}</dl>`
}

/** More codes than this are not named at each call. */
const MAX_CODES = 6

/** Returns what an error says; where that is every code of its status, a link to them. */
function describe(status: number, description: string): string {
  const phrase = STATUS_CODES[status] ?? 'Failure'
  if (description.split('/docs/errors#').length - 1 <= MAX_CODES) return description || phrase
  return `${phrase}: [the codes of ${status}](/docs/errors#status-${status})`
}

function renderSamples(operation: Operation, document: JsonObject): string {
  const request = sampleRequest(operation, document)
  const samples = SAMPLE_LANGUAGES.map(
    (language, place) =>
      `<details class="sample" name="sample-${operation.id}" data-language="${language}"${place === 0 ? ' open' : ''}><summary>${language}</summary><pre class="block"><code>${renderSample(language, request)}</code></pre></details>`,
  )
  return `<h3>Request</h3>\n<div class="samples">${samples.join('\n')}</div>
<details class="try scripted"><summary>Try it<span class="unseen">: ${escapeHtml(operation.summary)}</span></summary></details>`
}

/** Renders a program. What is in it only for the key is in an element of its own, for the script to leave out. */
function renderSample(language: (typeof SAMPLE_LANGUAGES)[number], request: SampleRequest): string {
  const [whole, bare] = [writeSample(language, request), writeSample(language, request, null)]
  let start = 0
  while (whole[start] === bare[start]) start++
  const end = start + whole.length - bare.length
  return `${escapeHtml(whole.slice(0, start))}<span>${escapeHtml(whole.slice(start, end))}</span>${escapeHtml(whole.slice(end))}`
}
