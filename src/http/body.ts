import { ApiError, invalid, MAX_FAULTS_REPORTED, shortenName } from './api-error'

/** Bytes of a request body, unless a route says otherwise. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024
/** How deep JSON may nest: far above any sensible request, far below what overflows a stack. */
const JSON_DEPTH = 64

/**
 * The one body parser of /api: JSON in UTF-8 and nothing else. An empty body is `null`, so that schemas decide.
 * Throws too_large, unsupported_media_type, invalid_json, or invalid_request for text that cannot be stored.
 */
export async function readJson(request: Request, limit = MAX_BODY_BYTES): Promise<unknown> {
  const bytes = await readBytes(request.body, limit)
  if (bytes.length === 0) return null
  if (readMediaType(request) !== 'application/json')
    throw new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.')
  refuseEncoded(request, 'body')
  return parseJson(decode(bytes))
}

/** Throws unsupported_media_type for what is sent compressed. */
export function refuseEncoded(request: Request, what: 'body' | 'file'): void {
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new ApiError('unsupported_media_type', `Send the ${what} as it is, without Content-Encoding.`)
}

/** For a route that takes no body: it may be empty or an object without members. Throws invalid_request. */
export function refuseMembers(body: unknown): void {
  if (body === null || body === undefined) return
  if (typeof body !== 'object' || Array.isArray(body))
    throw invalid('', 'invalid_value', 'the body must be empty or {}: this endpoint takes none')
  const names = Object.keys(body).slice(0, MAX_FAULTS_REPORTED)
  const errors = names.map((name) => ({
    pointer: `/${escaped(name)}`,
    code: 'invalid_value',
    detail: `${shortenName(name)} is not known here`,
  }))
  if (errors[0]) throw new ApiError('invalid_request', errors[0].detail, { errors })
}

/** Bytes of a stream, counted while they come: a sender that never ends costs no more than the limit. */
export async function readBytes(body: AsyncIterable<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limit) throw new ApiError('too_large', `The body may have at most ${limit} bytes.`)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Of a body, in lower case and without its parameters; `another charset` if it is not UTF-8. */
export function readMediaType(request: Request): string {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='))
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) return 'another charset'
  return type.trim()
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8.')
  }
}

/** JSON.parse with a limit to the depth, looked at before parsing, and without text that no database can store. */
export function parseJson(text: string): unknown {
  if (depth(text) > JSON_DEPTH)
    throw new ApiError('invalid_json', `The body may nest at most ${JSON_DEPTH} levels deep.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON.')
  }
  // Only an escape can spell NUL or half a surrogate pair in valid UTF-8, and only a long number or a large exponent
  // is out of range, so most bodies need no second look.
  if (/\\u|[eE]\+?\d{3}|\d{40}/.test(text)) refuseUnstorable(value, '')
  if (/\\u|toString/.test(text)) keepPrintable(value)
  return value
}

/**
 * An own member `toString` breaks code that puts an object into a sentence, as Elysia does with a value that does not fit.
 * Such objects get another way to become text, which JSON does not show.
 */
function keepPrintable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, 'toString'))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => '[object Object]' })
  for (const member of Object.values(value)) keepPrintable(member)
}

/** How deep the brackets of a JSON text nest. One pass, no recursion; brackets inside strings do not count. */
function depth(text: string): number {
  let level = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x22) i = endOfString(text, i)
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++level)
    else if (char === 0x7d || char === 0x5d) level--
  }
  return deepest
}

/** Where the string that begins at `start` ends; of a long one, no character is looked at but the quotes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === 0x5c) escapes--
    if ((end - escapes) % 2 === 0) return end
  }
  return text.length
}

function refuseUnstorable(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value))
      throw invalid(pointer, 'unstorable_text', 'Text must not hold NUL or half a surrogate pair.')
  } else if (typeof value === 'number') {
    // It would be stored as null.
    if (!Number.isFinite(value)) throw invalid(pointer, 'out_of_range', 'A number must be one that JSON can give back.')
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => {
      refuseUnstorable(item, `${pointer}/${i}`)
    })
  } else if (value && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${escaped(name)}`
      if (!isStorable(name))
        throw invalid(pointer, 'unstorable_text', 'A name must not hold NUL or half a surrogate pair.')
      refuseUnstorable(member, at)
    }
  }
}

/** A name as a JSON Pointer spells it (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Whether a text can be stored and sent as UTF-8: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** A JSON merge patch (RFC 7396, section 2): absent members stay, null removes, objects merge, all else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    // Not an assignment: `__proto__` must become a member, not a prototype.
    else define(result, name, mergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value))
  }
  return result
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
