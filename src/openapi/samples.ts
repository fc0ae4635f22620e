/** A request to each operation as a program to copy, in three languages. Pure. */
import { asList, asObject, type JsonObject } from './json-schema'
import { type Operation, type Parameter, resolve } from './reference-model'

/** The address in the samples, in whose place the page puts that of the server. */
export const SAMPLE_BASE = 'http://127.0.0.1:3000'
/** The key in the samples, in whose place the page puts the chosen one. */
export const SAMPLE_KEY = 'YOUR_KEY'
/** The languages, in the order in which the page shows them. */
export const SAMPLE_LANGUAGES = ['curl', 'TypeScript', 'Python'] as const
/** A language of the samples. */
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]

/** The body of a sample: JSON, or the content of a file beside the program. */
type SampleBody = { readonly json: unknown } | { readonly file: string; readonly mediaType: string }

/** A request that an operation takes, with examples for what it requires. */
export interface SampleRequest {
  readonly method: string
  /** From the root, with its query. */
  readonly path: string
  readonly body: SampleBody | null
  /** `stream` is answered without an end. */
  readonly answer: 'json' | 'text' | 'file' | 'nothing' | 'stream'
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

/** Returns the sample request of an operation: all that it requires, and the first example of its body. */
export function sampleRequest(operation: Operation, document: JsonObject): SampleRequest {
  const required = operation.parameters.filter(({ isRequired }) => isRequired)
  const values = Object.fromEntries(required.map((parameter) => [parameter.name, exampleOf(parameter)]))
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? EXAMPLE_ID),
  )
  const query = required.filter(({ place }) => place === 'query').map(({ name }) => [name, values[name] ?? ''])
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : ''
  return {
    method: operation.method,
    path: path + search,
    body: sampleBody(operation, values, document),
    answer: answerOf(operation),
  }
}

function exampleOf({ name, schema }: Parameter): string {
  const [example] = [...asList(schema.examples), ...asList(schema.enum)]
  if (example !== undefined) return String(example)
  return name === 'n' || schema.type === 'integer' ? '1' : EXAMPLE_ID
}

function sampleBody(operation: Operation, values: JsonObject, document: JsonObject): SampleBody | null {
  const contents = operation.body?.contents ?? []
  const mediaType = EASY.find((one) => contents.some((content) => content.mediaType === one))
  const content = contents.find((one) => one.mediaType === mediaType) ?? contents[0]
  if (!content) return null
  if (content.mediaType === 'application/json')
    return { json: content.example ?? exampleOfSchema(document, content.schema) }
  const named = String(values.name ?? (values.format ? `cards.${values.format}` : 'picture.png'))
  return { file: FILES[content.mediaType] ?? named, mediaType: content.mediaType }
}

/** Returns an example of an object by the examples of its required members. */
function exampleOfSchema(document: JsonObject, schema: JsonObject): unknown {
  const { properties, required, examples } = resolve(document, schema)
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  const names = asList(required).map(String)
  return Object.fromEntries(
    names.map((name) => [name, exampleOfSchema(document, asObject(asObject(properties)[name]))]),
  )
}

function answerOf({ answers }: Operation): SampleRequest['answer'] {
  const [success] = answers.filter(({ status, contents }) => status < 300 && contents.length > 0)
  const media = success?.contents[0]?.mediaType
  if (media === undefined) return 'nothing'
  if (media === 'application/json') return 'json'
  if (media === 'text/event-stream') return 'stream'
  return media.startsWith('text/') ? 'text' : 'file'
}

/** Writes the program of a request, for the sample address and key. */
export function writeSample(language: SampleLanguage, request: SampleRequest): string {
  const headers: Record<string, string> = { 'X-API-Key': SAMPLE_KEY }
  if (request.body) headers['Content-Type'] = 'json' in request.body ? 'application/json' : request.body.mediaType
  return { curl: writeCurl, TypeScript: writeTypeScript, Python: writePython }[language](request, headers)
}

/** JSON on one line if it is short, else with a line for each member. */
function literal(value: unknown, indentation = ''): string {
  const line = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null'
  return line.length <= 72 ? line : JSON.stringify(value, null, 2).replaceAll('\n', `\n${indentation}`)
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function writeCurl({ method, path, body, answer }: SampleRequest, headers: Record<string, string>): string {
  const options = answer === 'stream' ? ' -N' : answer === 'file' ? ' -o answer' : ''
  const lines = [`curl${options}${method === 'GET' ? '' : ` -X ${method}`} ${shellQuote(SAMPLE_BASE + path)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellQuote(`${name}: ${value}`)}`)
  if (body)
    lines.push(
      `--data-${'json' in body ? 'raw' : 'binary'} ${shellQuote('json' in body ? literal(body.json) : `@${body.file}`)}`,
    )
  return lines.join(' \\\n  ')
}

const TYPESCRIPT_ANSWER: Readonly<Record<SampleRequest['answer'], string>> = {
  json: 'console.log(response.status, await response.json())',
  text: 'console.log(response.status, await response.text())',
  file: 'console.log(response.status, (await response.arrayBuffer()).byteLength, "bytes")',
  nothing: 'console.log(response.status, await response.text())',
  stream: `for await (const part of response.body ?? []) {
  console.log(new TextDecoder().decode(part))
}`,
}

function writeTypeScript({ method, path, body, answer }: SampleRequest, headers: Record<string, string>): string {
  const isFile = body !== null && 'file' in body
  const options = method === 'GET' ? [] : [`  method: ${literal(method)},`]
  options.push(`  headers: ${literal(headers, '  ')},`)
  if (isFile) options.push(`  body: await readFile(${literal(body.file)}),`)
  else if (body) options.push(`  body: JSON.stringify(${literal(body.json, '  ')}),`)
  return `${isFile ? 'import { readFile } from "node:fs/promises"\n\n' : ''}const response = await fetch(${literal(SAMPLE_BASE + path)}, {
${options.join('\n')}
})
${TYPESCRIPT_ANSWER[answer]}`
}

const PYTHON_ANSWER: Readonly<Record<SampleRequest['answer'], string>> = {
  json: 'print(response.status, json.load(response))',
  text: 'print(response.status, response.read().decode())',
  file: 'print(response.status, len(response.read()), "bytes")',
  nothing: 'print(response.status, response.read().decode())',
  stream: `for line in response:
        print(line.decode(), end="")`,
}

function writePython({ method, path, body, answer }: SampleRequest, headers: Record<string, string>): string {
  const isJson = body !== null && 'json' in body
  const options = [`    ${literal(SAMPLE_BASE + path)},`, `    method=${literal(method)},`]
  options.push(`    headers=${literal(headers, '    ')},`)
  if (isJson) options.push(`    data=json.dumps(${pythonLiteral(body.json, '    ')}).encode(),`)
  else if (body) options.push(`    data=open(${literal(body.file)}, "rb").read(),`)
  return `${isJson || answer === 'json' ? 'import json\n' : ''}import urllib.request

request = urllib.request.Request(
${options.join('\n')}
)
with urllib.request.urlopen(request) as response:
    ${PYTHON_ANSWER[answer]}`
}

/** A value in Python: like JSON but for three words, which are replaced outside of strings. */
function pythonLiteral(value: unknown, indentation: string): string {
  const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
  return literal(value, indentation).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => words[token] ?? token,
  )
}
