/** A request as a program to copy, in three languages. What the person typed is quoted so that it stays what it is. */

/** @typedef {import('./api.js').ApiRequest} ApiRequest */
/** @typedef {'curl' | 'TypeScript' | 'Python'} Language */

/**
 * @param {Language} language
 * @param {ApiRequest} request
 * @param {string} base address of the server
 * @param {string | null} key
 * @returns {string}
 */
export function snippet(language, request, base, key) {
  const url = `${base}/${request.path}`
  /** @type {Record<string, string>} */
  const headers = {}
  if (key !== null) headers['X-API-Key'] = key
  if (request.body !== undefined) headers['Content-Type'] = 'application/json'
  const write = { curl, TypeScript: typescript, Python: python }[language]
  return write(request, url, headers)
}

/**
 * JSON on one line with a blank after each sign. Line breaks inside strings are escaped, so only layout is touched.
 * @param {unknown} value
 */
export function literal(value) {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
}

/** @param {string} text for a POSIX shell: nothing is special between single quotes but their end */
export function shellQuote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** @typedef {(request: ApiRequest, url: string, headers: Record<string, string>) => string} Writer */

/** @type {Writer} */
function curl({ body }, url, headers) {
  const lines = [`curl -i ${shellQuote(url)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellQuote(`${name}: ${value}`)}`)
  if (body !== undefined) lines.push(`--data-raw ${shellQuote(literal(body))}`)
  return lines.join(' \\\n  ')
}

/** @type {Writer} */
function typescript({ method, body }, url, headers) {
  const options = []
  if (method !== 'GET') options.push(`  method: ${literal(method)},`)
  if (Object.keys(headers).length > 0) options.push(`  headers: ${literal(headers)},`)
  if (body !== undefined) options.push(`  body: JSON.stringify(${literal(body)}),`)
  const second = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  return `const response = await fetch(${literal(url)}${second})
console.log(response.status, response.headers.get("X-RateLimit-Remaining"))
console.log(await response.json())`
}

/** @type {Writer} */
function python({ method, body }, url, headers) {
  const options = [`    ${literal(url)},`, `    method=${literal(method)},`]
  if (Object.keys(headers).length > 0) options.push(`    headers=${literal(headers)},`)
  if (body !== undefined) options.push(`    data=json.dumps(${literal(body)}).encode(),`)
  return `import json
import urllib.request

request = urllib.request.Request(
${options.join('\n')}
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.headers["X-RateLimit-Remaining"])
    print(json.load(response))`
}
