import { setImmediate } from 'node:timers/promises'
import type { Snapshot } from '../db/database'
import { isUnchanged, type Tagged } from './conditional'
import type { Outcome } from './idempotency'

/** How results become answers. `set` is Elysia's: the status and headers of the response to come. */
interface ResponseSettings {
  headers: Record<string, string | number>
  status?: number | string
}

/** A resource that was made: 201, with its address and its ETag. */
export function created<Resource extends { readonly id: string }>(
  collection: string,
  { resource, etag }: Tagged<Resource>,
): Outcome<Resource> {
  return { status: 201, headers: { Location: `${collection}/${resource.id}`, ...cachedBy(etag) }, body: resource }
}

/** A resource that was changed: 200, with its ETag. */
export function changed<Resource>({ resource, etag }: Tagged<Resource>): Outcome<Resource> {
  return { status: 200, headers: cachedBy(etag), body: resource }
}

/** Sends an outcome. */
export function send<Body>(set: ResponseSettings, { status, headers, body }: Outcome<Body>): Body {
  set.status = status
  Object.assign(set.headers, headers)
  return body
}

/** Sends a resource that was read, or 304 without a body where the caller has it already. */
export function sendResource<Resource>(request: Request, set: ResponseSettings, tagged: Tagged<Resource>): Resource {
  const body = send(set, changed(tagged))
  if (!isUnchanged(request, tagged.etag)) return body
  set.status = 304
  // Elysia checks what is declared for a status; for 304 that is nothing.
  return undefined as Resource
}

/** Sends a text that was read, or 304 without it where the caller has it already. */
export function sendText(request: Request, type: string, { resource, etag }: Tagged<string>): Response {
  const headers = { ...cachedBy(etag), Vary: 'Accept', 'Content-Type': `${type}; charset=utf-8` }
  if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers })
  // The pages share this origin, and their storage holds keys: nothing in a text may act there.
  return new Response(resource, { headers: { ...headers, 'Content-Security-Policy': "sandbox; default-src 'none'" } })
}

/** Sends a text for programs that a browser does not show, or 304 without it where the caller has it already. */
export function sendFile(request: Request, type: string, { resource, etag }: Tagged<string>): Response {
  const headers = { ...cachedBy(etag), 'Content-Type': `${type}; charset=utf-8` }
  return isUnchanged(request, etag) ? new Response(null, { status: 304, headers }) : new Response(resource, { headers })
}

/** What carries an ETag may be cached, if it is validated each time. */
function cachedBy(etag: string): Record<string, string> {
  return { ETag: etag, 'Cache-Control': 'private, no-cache' }
}

/**
 * A body that is made while it is sent, a turn of the event loop for each chunk: other requests come between. It must be
 * read to its end or cancelled. What fails before the first chunk is thrown here.
 */
export async function streamChunks(chunks: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  let next: Awaited<ReturnType<typeof chunks.next>> | null = await chunks.next()
  return new ReadableStream(
    {
      async pull(controller) {
        await setImmediate()
        const { value, done } = next ?? (await chunks.next())
        next = null
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** How long an export may take, in milliseconds: its snapshot keeps the database's log from being tidied. */
const EXPORT_MS = 30 * 60 * 1000

interface ExportDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
}

/** A body that `write` makes of the database as it is at this moment; see streamed. It is broken off after half an hour. */
export function streamExport(
  { now, snapshot }: ExportDeps,
  write: (read: Snapshot) => AsyncIterable<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const end = now() + EXPORT_MS
    const read = await snapshot()
    try {
      for await (const chunk of write(read)) {
        if (now() > end) throw new Error('an export took too long')
        yield chunk
      }
    } finally {
      read.close()
    }
  }
  return streamChunks(chunks())
}

/** The answer for a body to be stored as a file. HEAD gets the same without it. */
export async function sendAttachment(
  request: Request,
  body: ReadableStream<Uint8Array>,
  { type, name }: { readonly type: string; readonly name: string },
): Promise<Response> {
  const isHead = request.method === 'HEAD'
  if (isHead) await body.cancel()
  // A body of none would be announced as such; one that never comes has no length, as the file has none.
  return new Response(isHead ? new ReadableStream() : body, {
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    },
  })
}

/**
 * Which representation an Accept header asks for (RFC 9110, section 12.5.1). Each offer takes the weight of the most
 * exact range that names it; the heaviest wins, among equals the one offered first.
 */

interface MediaRange {
  readonly type: string
  readonly subtype: string
  /** 0..1; what has 0 is not wanted. */
  readonly weight: number
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
const MEDIA_RANGE = new RegExp(
  `^(${TOKEN})/(${TOKEN})[ \\t]*((?:;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED})[ \\t]*)?)*)$`,
)
const PARAMETER = new RegExp(`(${TOKEN})=(${TOKEN}|${QUOTED})`, 'g')
/** What is between the commas of a list: a comma may be quoted. */
const ELEMENT = new RegExp(`(?:[^",]|${QUOTED})*`, 'y')
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The offer that the header prefers: the first one when it is absent or malformed or when nothing offered fits, since a
 * readable answer is worth more than a refusal.
 * @param offers media types without parameters, in lower case, the server's favourite first
 */
export function preferredType<Offer extends string>(
  accept: string | null,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const ranges = accept === null ? null : readAccept(accept)
  if (!ranges) return offers[0]
  let best = offers[0]
  let heaviest = 0
  for (const offer of offers) {
    const weight = weightOf(offer, ranges)
    if (weight <= heaviest) continue
    best = offer
    heaviest = weight
  }
  return best
}

/** Null when it is malformed. Empty elements are allowed in any list. */
function readAccept(header: string): MediaRange[] | null {
  const ranges: MediaRange[] = []
  for (let at = 0; at < header.length; at = ELEMENT.lastIndex + 1) {
    ELEMENT.lastIndex = at
    const element = ELEMENT.exec(header)?.[0].trim() ?? ''
    // A quote that nothing closes ends an element, too.
    if (ELEMENT.lastIndex < header.length && header[ELEMENT.lastIndex] !== ',') return null
    if (element === '') continue
    const range = readRange(element)
    if (!range) return null
    if (range !== 'other') ranges.push(range)
  }
  return ranges
}

/** `other` is a range with parameters of its own, such as `text/html;level=1`: we offer nothing of the kind. */
function readRange(element: string): MediaRange | 'other' | null {
  const [, type, subtype, parameters] = MEDIA_RANGE.exec(element) ?? []
  if (type === undefined || subtype === undefined || parameters === undefined) return null
  if (type === '*' && subtype !== '*') return null
  let weight = 1
  for (const [, name = '', value = ''] of parameters.matchAll(PARAMETER)) {
    // Everything we send is UTF-8, so a charset narrows nothing.
    if (name.toLowerCase() === 'charset') continue
    if (name.toLowerCase() !== 'q') return 'other'
    if (!WEIGHT.test(value)) return null
    weight = Number(value)
    // What follows are extensions, which no longer narrow the range.
    break
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), weight }
}

/** 0 when no range names it. Of two equally exact ranges the heavier counts. */
function weightOf(offer: string, ranges: readonly MediaRange[]): number {
  const [type, subtype] = offer.split('/')
  const exactness = (range: MediaRange): number => {
    if (range.type === '*') return 1
    if (range.type !== type) return 0
    if (range.subtype === '*') return 2
    return range.subtype === subtype ? 3 : 0
  }
  const exactest = Math.max(0, ...ranges.map(exactness))
  if (exactest === 0) return 0
  return Math.max(...ranges.filter((range) => exactness(range) === exactest).map(({ weight }) => weight))
}
