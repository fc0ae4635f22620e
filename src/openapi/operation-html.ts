import { STATUS_CODES } from 'node:http'
import { fillForm, SAMPLE_LANGUAGES, writeSample } from '../../public/docs-samples.js'
import { renderMarkdown, renderTable, renderType } from './html'
import { asList, asObject, type JsonObject } from './json-schema'
import { type Answer, type Operation, type Parameter, readGroups } from './reference-model'

/** One operation as a section of its group's page. */

export function renderOperation(operation: Operation, root: string): string {
  const { id, method, path, summary, description } = operation
  const content = [
    description && `<div class="prose">${renderMarkdown(description, root)}</div>`,
    renderSamples(operation),
    renderParameters(operation, root),
    renderBody(operation),
    renderAnswers(operation, root),
    renderErrors(operation, root),
  ]
  return `<section class="call" id="${id}" aria-labelledby="${id}-title" data-method="${method}" data-path="${Bun.escapeHTML(path)}">
<div><h2 id="${id}-title"><a href="#${id}">${Bun.escapeHTML(summary)}</a></h2>
<p class="address"><strong>${method}</strong> <code>${Bun.escapeHTML(path)}</code></p></div>
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
      : `<p><code>${Bun.escapeHTML(mediaType)}</code></p>`,
  )
  return `<h3>Body${body.isRequired ? '' : ', optional'}</h3>\n${kinds.join('\n')}`
}

function renderAnswers({ answers }: Operation, root: string): string {
  const good = answers.filter(({ status }) => status < 400)
  return `<h3>Answer</h3>\n<dl class="answers">${good.map((answer) => renderAnswer(answer, root)).join('\n')}</dl>`
}

function renderAnswer({ status, description, contents }: Answer, root: string): string {
  const kinds = contents.map(({ mediaType, schema }) =>
    mediaType === 'application/json' ? `JSON: ${renderType(schema)}` : `<code>${Bun.escapeHTML(mediaType)}</code>`,
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

function renderSamples(operation: Operation): string {
  const request = sampleRequest(operation)
  const samples = SAMPLE_LANGUAGES.map(
    (language, place) =>
      `<details class="sample" name="sample-${operation.id}" data-language="${language}"${place === 0 ? ' open' : ''}><summary>${language}</summary><pre class="block"><code>${renderSample(language, request)}</code></pre></details>`,
  )
  return `<h3>Request</h3>\n<div class="samples">${samples.join('\n')}</div>
<details class="try scripted"><summary>Try it<span class="unseen">: ${Bun.escapeHTML(operation.summary)}</span></summary></details>`
}

/** Renders a program. What is in it only for the key is in an element of its own, for the script to leave out. */
function renderSample(language: (typeof SAMPLE_LANGUAGES)[number], request: SampleRequest): string {
  const [whole, bare] = [writeSample(language, request), writeSample(language, request, null)]
  let start = 0
  while (whole[start] === bare[start]) start++
  const end = start + whole.length - bare.length
  return `${Bun.escapeHTML(whole.slice(0, start))}<span>${Bun.escapeHTML(whole.slice(start, end))}</span>${Bun.escapeHTML(whole.slice(end))}`
}

/** What a request to each operation can have, with examples from the document. Pure. */

interface RequestField {
  readonly name: string
  readonly place: Parameter['place']
  readonly isRequired: boolean
  /** Whether it may have several values: each is on a line of its own. */
  readonly isList: boolean
  /** Its only values; none if it takes any. */
  readonly choices: readonly string[]
  /** An example, which every required one has; empty if there is none. */
  readonly value: string
}

export interface RequestForm {
  readonly method: string
  /** From the root, with names in braces. */
  readonly path: string
  readonly fields: readonly RequestField[]
  /** An example: JSON, or the content of a file beside the program. */
  readonly body: { readonly json: unknown } | { readonly file: string; readonly mediaType: string } | null
  /** `stream` is answered without an end. */
  readonly answer: 'json' | 'text' | 'file' | 'nothing' | 'stream'
}

export interface SampleRequest extends Omit<RequestForm, 'fields'> {
  /** From the root, with its query. */
  readonly path: string
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>
}

const EXAMPLE_ID = '01980000-0000-7000-8000-000000000000'
const FILES: Readonly<Record<string, string>> = {
  'application/zip': 'export.zip',
  'application/enex+xml': 'notes.enex',
  'text/markdown': 'note.md',
  'text/calendar': 'tasks.ics',
  'text/csv': 'tasks.csv',
}
/** The media types of files that a person may have at hand, before those of archives. */
const EASY = ['application/json', 'text/markdown', 'text/calendar', 'application/octet-stream', 'application/zip']

/** Returns what a request to an operation can have: its parameters, those that are required first, and its body. */
function requestForm(operation: Operation): RequestForm {
  const required = operation.parameters.map(formField).filter(({ isRequired }) => isRequired)
  const body = sampleBody(operation, Object.fromEntries(required.map(({ name, value }) => [name, value])))
  const fields = operation.parameters.map((parameter) => {
    const field = formField(parameter)
    // The content of a file does not tell its name, so a parameter for it is needed.
    const isName = body !== null && 'file' in body && field.name === 'name'
    return isName ? { ...field, isRequired: true, value: body.file } : field
  })
  const { method, path } = operation
  const inOrder = fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
  return { method, path, fields: inOrder, body, answer: answerOf(operation) }
}

/**
 * Returns the forms of a group's operations by their ids. A person says in them what may be erased: that is left empty.
 * @param slug the last part of the address of the group
 */
export function listForms(document: JsonObject, slug: string): Readonly<Record<string, RequestForm>> {
  const operations = readGroups(document).find((group) => group.slug === slug)?.operations ?? []
  return Object.fromEntries(operations.map((operation) => [operation.id, askConsent(requestForm(operation))]))
}

function askConsent(form: RequestForm): RequestForm {
  const json = form.body && 'json' in form.body ? asObject(form.body.json) : {}
  return 'confirm' in json ? { ...form, body: { json: { ...json, confirm: '' } } } : form
}

/** Returns the sample request of an operation: all that it requires, and the first example of its body. */
export function sampleRequest(operation: Operation): SampleRequest {
  return fillForm(requestForm(operation))
}

function formField({ name, place, isRequired, schema }: Parameter): RequestField {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : asList(schema.enum).map(String)
  const [example = isRequired ? exampleOf(name, schema) : ''] = [...asList(schema.examples), ...choices]
  return { name, place, isRequired, isList: schema.type === 'array', choices, value: String(example) }
}

function exampleOf(name: string, { type }: JsonObject): string {
  return name === 'n' || type === 'integer' ? '1' : EXAMPLE_ID
}

function sampleBody(operation: Operation, values: JsonObject): RequestForm['body'] {
  const contents = operation.body?.contents ?? []
  const mediaType = EASY.find((one) => contents.some((content) => content.mediaType === one))
  const content = contents.find((one) => one.mediaType === mediaType) ?? contents[0]
  if (!content) return null
  if (content.mediaType === 'application/json') return { json: content.example }
  const named = String(values.name ?? (values.format ? `cards.${values.format}` : 'picture.png'))
  return { file: FILES[content.mediaType] ?? named, mediaType: content.mediaType }
}

function answerOf({ answers }: Operation): SampleRequest['answer'] {
  const [success] = answers.filter(({ status, contents }) => status < 300 && contents.length > 0)
  const media = success?.contents[0]?.mediaType
  if (media === undefined) return 'nothing'
  if (media === 'application/json') return 'json'
  if (media === 'text/event-stream') return 'stream'
  return media.startsWith('text/') ? 'text' : 'file'
}
