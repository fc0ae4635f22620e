/** A request to an operation as a program to copy, in three languages. The server writes the pages with it, too. */

/** The address in the samples of the server, in whose place the page puts its own. */
export const SAMPLE_BASE = 'http://127.0.0.1:3000'
/** The key in the samples of the server. Sent as it is, it is refused, since its check characters are missing. */
export const SAMPLE_KEY = 'satchel_YOUR_KEY'

/** @typedef {import('../src/openapi/operation-html').RequestForm} RequestForm */
/** @typedef {import('../src/openapi/operation-html').SampleRequest} SampleRequest */

/** The languages, in the order in which the page shows them. */
export const SAMPLE_LANGUAGES = /** @type {const} */ (['curl', 'TypeScript', 'Python'])

/**
 * Fills in a form.
 * @param {RequestForm} form
 * @param {readonly string[]} [values] those of the fields in their order; what is empty is not sent. Else the required
 * ones have their examples
 * @param {RequestForm['body']} [body]
 * @returns {SampleRequest}
 */
export function fillForm(
  { method, path, fields, answer, body: example },
  values = fields.map(({ isRequired, value }) => (isRequired ? value : '')),
  body = example,
) {
  const given = fields.flatMap(({ name, place, isList }, at) => {
    const text = values[at] ?? ''
    const all = isList ? text.split('\n').map((line) => line.trim()) : [text]
    return all.filter(Boolean).map((value) => ({ name, place, value }))
  })
  /** @param {'path' | 'query' | 'header'} wanted */
  const at = (wanted) => given.filter(({ place }) => place === wanted).map(({ name, value }) => [name, value])
  const inPath = Object.fromEntries(at('path'))
  const search = new URLSearchParams(at('query')).toString()
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath[name] ?? ''))
  return {
    method,
    path: search === '' ? filled : `${filled}?${search}`,
    headers: {
      ...Object.fromEntries(at('header')),
      ...(body && { 'Content-Type': 'json' in body ? 'application/json' : body.mediaType }),
    },
    body,
    answer,
  }
}

/**
 * Writes a request as a program.
 * @param {(typeof SAMPLE_LANGUAGES)[number]} language
 * @param {SampleRequest} request
 * @param {string | null} [key] null: without one
 * @param {string} [base] address of the server, without a slash at the end
 * @returns {string}
 */
export function writeSample(language, { headers, ...request }, key = SAMPLE_KEY, base = SAMPLE_BASE) {
  const all = key === null ? headers : { 'X-API-Key': key, ...headers }
  const write = { curl: writeCurl, TypeScript: writeTypeScript, Python: writePython }[language]
  return write(request, base + request.path, all)
}

/** @typedef {(request: Omit<SampleRequest, 'headers'>, url: string, headers: Record<string, string>) => string} Writer */

/**
 * JSON on one line.
 * @param {unknown} value
 */
function line(value) {
  return JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null'
}

/**
 * JSON on one line if it is short, else with a line for each member.
 * @param {unknown} value
 * @param {string} [indentation]
 */
function literal(value, indentation = '') {
  const short = line(value)
  return short.length <= 72 ? short : JSON.stringify(value, null, 2).replaceAll('\n', `\n${indentation}`)
}

/** @param {string} text for a POSIX shell: nothing is special between single quotes but their end */
function shellQuote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Writes a sample of the server with a key in the place of the one that is none.
 * @param {string} language
 * @param {string} sample
 * @param {string} key in one that another program made may be anything but blanks
 */
export function putKey(language, sample, key) {
  const written = language === 'curl' ? shellQuote(key) : line(key)
  return sample.replaceAll(SAMPLE_KEY, () => written.slice(1, -1))
}

/** @type {Writer} */
function writeCurl({ method, body, answer }, url, headers) {
  const options = answer === 'stream' ? ' -N' : answer === 'file' ? ' -o answer' : ''
  const lines = [`curl${options}${method === 'GET' ? '' : ` -X ${method}`} ${shellQuote(url)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellQuote(`${name}: ${value}`)}`)
  if (body)
    lines.push(
      'json' in body ? `--data-raw ${shellQuote(literal(body.json))}` : `--data-binary ${shellQuote(`@${body.file}`)}`,
    )
  return lines.join(' \\\n  ')
}

/** @type {Record<RequestForm['answer'], string>} */
const TYPESCRIPT_ANSWER = {
  json: 'console.log(response.status, await response.json())',
  text: 'console.log(response.status, await response.text())',
  file: 'console.log(response.status, (await response.arrayBuffer()).byteLength, "bytes")',
  nothing: 'console.log(response.status, await response.text())',
  stream: `for await (const part of response.body ?? []) {
  console.log(new TextDecoder().decode(part))
}`,
}

/** @type {Writer} */
function writeTypeScript({ method, body, answer }, url, headers) {
  const isFile = body !== null && 'file' in body
  const options = method === 'GET' ? [] : [`  method: ${literal(method)},`]
  if (Object.keys(headers).length > 0) options.push(`  headers: ${line(headers)},`)
  if (isFile) options.push(`  body: await readFile(${literal(body.file)}),`)
  else if (body) options.push(`  body: JSON.stringify(${literal(body.json, '  ')}),`)
  const second = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  return `${isFile ? 'import { readFile } from "node:fs/promises"\n\n' : ''}const response = await fetch(${line(url)}${second})
${TYPESCRIPT_ANSWER[answer]}`
}

/** @type {Record<RequestForm['answer'], string>} */
const PYTHON_ANSWER = {
  json: 'print(response.status, json.load(response))',
  text: 'print(response.status, response.read().decode())',
  file: 'print(response.status, len(response.read()), "bytes")',
  nothing: 'print(response.status, response.read().decode())',
  stream: `for line in response:
        print(line.decode(), end="")`,
}

/** @type {Writer} */
function writePython({ method, body, answer }, url, headers) {
  const isJson = body !== null && 'json' in body
  const options = [`    ${line(url)},`, `    method=${literal(method)},`]
  if (Object.keys(headers).length > 0) options.push(`    headers=${line(headers)},`)
  if (isJson) options.push(`    data=json.dumps(${pythonLiteral(body.json)}).encode(),`)
  else if (body) options.push(`    data=open(${literal(body.file)}, "rb").read(),`)
  return `${isJson || answer === 'json' ? 'import json\n' : ''}import urllib.request

request = urllib.request.Request(
${options.join('\n')}
)
with urllib.request.urlopen(request) as response:
    ${PYTHON_ANSWER[answer]}`
}

/**
 * A value in Python: like JSON but for three words, which are replaced outside of strings.
 * @param {unknown} value
 */
function pythonLiteral(value) {
  /** @type {Record<string, string>} */
  const words = { true: 'True', false: 'False', null: 'None' }
  return literal(value, '    ').replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => words[token] ?? token,
  )
}
