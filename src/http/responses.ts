import type { Context, Reader, RequestDeadline, Session, Snapshot } from '../db/database'
import { deleteOldOutcomes, getOutcome, insertOutcome, type StoredOutcome } from '../db/idempotency-store'
import { yieldTurn } from '../lib/steps'
import { heaviest, preferredCoding, readWeights } from './answer'
import { ApiError, invalid } from './api-error'

/** The part of Elysia's `set` that we use: the status and headers of the response. */
interface ResponseSettings {
  headers: Record<string, string | number>
  status?: number | string
}

/** Makes the outcome of creating a resource: 201 with its path and its ETag. */
export function created<Resource extends { readonly id: string }>(
  collection: string,
  { resource, etag }: Tagged<Resource>,
): Outcome<Resource> {
  return { status: 201, headers: { Location: `${collection}/${resource.id}`, ...etagHeaders(etag) }, body: resource }
}

/** Makes the outcome of changing a resource: 200 with its ETag. */
export function changed<Resource>({ resource, etag }: Tagged<Resource>): Outcome<Resource> {
  return { status: 200, headers: etagHeaders(etag), body: resource }
}

export function send<Body>(set: ResponseSettings, { status, headers, body }: Outcome<Body>): Body {
  set.status = status
  Object.assign(set.headers, headers)
  return body
}

/** Sends a resource that was read, or 304 without a body if the caller already has it. */
export function sendResource<Resource>(request: Request, set: ResponseSettings, tagged: Tagged<Resource>): Resource {
  const body = send(set, changed(tagged))
  if (!isUnchanged(request, tagged.etag)) return body
  set.status = 304
  // Elysia checks the body against the schema of the status, and 304 has none.
  return undefined as Resource
}

/** Or 304 if the caller already has it. @param policy what a browser may load for it; nothing runs by default */
export function sendText(
  request: Request,
  type: string,
  { resource, etag }: Tagged<string>,
  policy = "sandbox; default-src 'none'",
): Response {
  const headers = { ...etagHeaders(etag), Vary: 'Accept', 'Content-Type': `${type}; charset=utf-8` }
  if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers })
  // The key page has the same origin, and keys in its storage: scripts in a text must not run.
  return new Response(resource, { headers: { ...headers, 'Content-Security-Policy': policy } })
}

/** Sends a text that is not shown in a browser, or 304 without it if the caller already has it. */
export function sendFile(request: Request, type: string, { resource, etag }: Tagged<string>): Response {
  const headers = { ...etagHeaders(etag), 'Content-Type': `${type}; charset=utf-8` }
  return isUnchanged(request, etag) ? new Response(null, { status: 304, headers }) : new Response(resource, { headers })
}

/** Returns the headers of a response with an ETag. It may be cached if each use is validated. */
function etagHeaders(etag: string): Record<string, string> {
  return { ETag: etag, 'Cache-Control': 'private, no-cache' }
}

/**
 * Makes a body that is generated while it is sent, one chunk in each turn of the event loop, so that other requests are
 * served in between. It must be read to its end or cancelled. An error before the first chunk is thrown here.
 */
export async function streamChunks(chunks: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  let next: Awaited<ReturnType<typeof chunks.next>> | null = await chunks.next()
  return new ReadableStream(
    {
      async pull(controller) {
        await yieldTurn()
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

/** Time limit of an export, since its snapshot keeps the write-ahead log from being emptied. */
const MAX_EXPORT_MS = 30 * 60 * 1000

interface ExportDeps extends Pick<Context, 'now'> {
  readonly snapshot: () => Promise<Snapshot>
}

/**
 * Streams a body that `write` makes from a snapshot of the database; see streamChunks. It fails after half an hour, and
 * once the deadline does.
 */
export function streamExport(
  { now, snapshot }: ExportDeps,
  write: (read: Reader['db']) => AsyncIterable<Uint8Array>,
  deadline?: RequestDeadline,
): Promise<ReadableStream<Uint8Array>> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const end = now() + MAX_EXPORT_MS
    const read = await snapshot()
    const inTime = () => {
      deadline?.check()
      if (now() > end) throw new Error('an export took too long')
      return read
    }
    const checked: Reader['db'] = {
      all: async (sql, params) => inTime().all(sql, params),
      get: async (sql, params) => inTime().get(sql, params),
    }
    try {
      for await (const chunk of write(checked)) {
        inTime()
        yield chunk
      }
    } finally {
      read.close()
    }
  }
  return streamChunks(chunks())
}

/** Sends a file that is generated while it is sent; see sendStream. */
export function sendAttachment(
  request: Request,
  body: ReadableStream<Uint8Array>,
  { type, name, compressible }: { readonly type: string; readonly name: string; readonly compressible?: boolean },
): Promise<Response> {
  const headers = { 'Content-Disposition': `attachment; filename="${name}"`, 'Cache-Control': 'no-store' }
  return sendStream(request, body, { 'Content-Type': type, ...headers }, compressible)
}

/**
 * Sends a body that is generated while it is sent. A HEAD has none.
 * @param compressible whether it is sent with gzip to those who accept it
 */
export async function sendStream(
  request: Request,
  body: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
  compressible = false,
): Promise<Response> {
  const isHead = request.method === 'HEAD'
  if (isHead) await body.cancel()
  const gzips = compressible && preferredCoding(request.headers.get('accept-encoding'), ['gzip']) !== null
  // With a null body the response to HEAD would say Content-Length: 0. A stream has no length, like the file.
  const sent = isHead ? new ReadableStream<Uint8Array>() : body
  const answer = new Response(gzips && !isHead ? sent.pipeThrough(createGzip()) : sent, { headers })
  if (compressible) answer.headers.append('Vary', 'Accept-Encoding')
  if (gzips) answer.headers.set('Content-Encoding', 'gzip')
  return answer
}

/** Creates a stream that packs. Its types say that it takes buffers of any kind, which a body is not. */
function createGzip(): ReadableWritablePair<Uint8Array, Uint8Array> {
  return new CompressionStream('gzip') as unknown as ReadableWritablePair<Uint8Array, Uint8Array>
}

/**
 * Chooses the offer that an Accept header prefers: each has the weight of the most specific range that matches it. If no
 * offer is acceptable, it returns the first one, since a response is more useful than an error.
 * @param offers media types without parameters, in lower case, the server's favourite first
 */
export function preferredType<Offer extends string>(
  accept: string | null,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const weights = readWeights(accept ?? '')
  const weightOf = (offer: Offer) =>
    [offer, `${offer.split('/', 1)}/*`, '*/*']
      .map((range) => weights.get(range))
      .find((weight) => weight !== undefined) ?? 0
  return heaviest(offers, weightOf) ?? offers[0]
}

/**
 * Conditional requests (RFC 9110, section 13). An ETag is `"<revision>"`, or `"<revision>-<n>"` if members are computed
 * from other resources; `n` grows when those change. Reads compare the whole ETag, but writes only the revision: a new
 * backlink must not make an editor's save fail.
 *
 * Proxies that compress weaken a tag (nginx: `W/"3-0"`) or add the encoding to it (Apache and Caddy: `"3-0-gzip"`; Jetty:
 * `"3-0--gzip"`), as we do ourselves (`"3-0.gz"`). All of these name what our tag names, for writes as well: it is made
 * from the revision, so a weak form of it tells as much.
 */

export interface Tagged<Resource> {
  readonly resource: Resource
  readonly etag: string
}

/** The condition of If-Match: none (null), that the resource exists (`*`), or that it is at one of these revisions. */
export type Precondition = null | '*' | readonly number[]

const TAG_LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/
const TAG = /"([\x21\x23-\x7e\x80-\xff]*)"/g
/** What we and proxies add to a tag for an encoding. */
const ENCODED = /(?:--?|\.)(?:gzip|gz|br|zstd)$/
/** A revision, then what tells representations of it apart: numbers, digests, a day (of cards), `.md`, `.html`. */
const REVISION =
  /^([1-9][0-9]{0,15})(?:-(?:[0-9]+(?:-[0-9a-z]{6,13})?|[0-9a-f]{16}))?(?:\.[0-9-]+\.[0-9]+)?(?:\.(?:md|html\.[0-9a-z]+))?$/

/** Writes the strong ETag of a resource. */
export function writeEtag(revision: number, computedRevision?: number): string {
  return computedRevision === undefined ? `"${revision}"` : `"${revision}-${computedRevision}"`
}

/** Reads If-Match. An unknown tag matches no revision. @throws ApiError invalid_request */
export function ifMatch(request: Request): Precondition {
  const header = request.headers.get('if-match')
  if (header === null) return null
  if (header.trim() === '*') return '*'
  return readTags(header, 'If-Match').map((tag) => Number(REVISION.exec(tag.replace(ENCODED, ''))?.[1] ?? -1))
}

/** Whether If-None-Match contains this ETag in any encoding, so that the response is 304. @throws ApiError invalid_request */
export function isUnchanged(request: Request, current: string): boolean {
  const header = request.headers.get('if-none-match')
  if (header === null) return false
  if (header.trim() === '*') return true
  return readTags(header, 'If-None-Match').some((tag) =>
    [tag, tag.replace(ENCODED, '')].some((value) => `"${value}"` === current),
  )
}

/** @param current the present resource, which the error contains @throws ApiError precondition_failed */
export function requireRevision(precondition: Precondition, current: { readonly revision: number }): void {
  if (precondition === null || precondition === '*' || precondition.includes(current.revision)) return
  throw new ApiError(
    'precondition_failed',
    `The resource is at revision ${current.revision} now. Nothing was changed.`,
    {
      current,
    },
  )
}

function readTags(header: string, name: string): string[] {
  if (!TAG_LIST.test(header))
    throw invalid(`/${name}`, 'invalid_header', `${name} must be * or a list of quoted ETags, e.g. "3-0".`)
  return Array.from(header.matchAll(TAG), ([, value = '']) => value)
}

export const OUTCOME_KEPT_MS = 24 * 60 * 60 * 1000
const KEY = /^[\x21-\x7e]{1,255}$/

/** The response of a request, before it is sent. `body` is undefined for a status without content. */
export interface Outcome<Body = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

interface Deps extends Pick<Context, 'now'> {
  /** Counts bytes towards the quota of the workspace. @throws ApiError quota_exceeded, storage_full */
  readonly reserve: (session: Session, bytes: number) => Promise<void>
}

/** Does `work` once for each Idempotency-Key of a workspace; see `createRunOnce`. */
export type RunOnce = <Body>(
  request: Request,
  session: Session,
  body: unknown,
  work: (session: Session) => Promise<Outcome<Body>>,
) => Promise<Outcome<Body>>

/**
 * Creates the function that makes POST repeatable (draft-ietf-httpapi-idempotency-key-header). With the header, `work`
 * runs in a transaction that also stores its outcome, so that a crash can neither lose nor repeat the change. A repeat
 * within 24 hours gets the stored outcome with `Idempotency-Replayed: true`. Without the header `work` just runs. A
 * refused request is not stored, so its repeat is processed as a new one.
 */
export function createRunOnce(deps: Deps): RunOnce {
  const { now } = deps
  const storeOutcome = createStoreOutcome(deps)
  return (request, session, body, work) => {
    const idempotencyKey = readIdempotencyKey(request, body)
    if (idempotencyKey === null) return work(session)
    return session.db.transaction(async (db) => {
      const tx = { ...session, db }
      const stored = await getOutcome(db, session.workspace.id, idempotencyKey.key, now() - OUTCOME_KEPT_MS)
      if (stored) return replay(stored, idempotencyKey.fingerprint)
      const outcome = await work(tx)
      await storeOutcome(tx, idempotencyKey, outcome)
      return outcome
    })
  }
}

/** In the transaction of `session`, under a key without an outcome. Throws quota_exceeded, storage_full. */
export function createStoreOutcome({ now, reserve }: Deps) {
  return async (session: Session, { key, fingerprint }: IdempotencyKey, outcome: Outcome): Promise<void> => {
    const { db, workspace } = session
    const record = {
      fingerprint,
      status: outcome.status,
      headers: JSON.stringify(outcome.headers),
      body: JSON.stringify(outcome.body ?? null),
    }
    const freed = await deleteOldOutcomes(db, workspace.id, now() - OUTCOME_KEPT_MS)
    await reserve(session, Buffer.byteLength(record.headers) + Buffer.byteLength(record.body) - freed)
    await insertOutcome(db, workspace.id, key, record, now())
  }
}

export type StoreOutcome = ReturnType<typeof createStoreOutcome>

/**
 * Creates the function that finds the stored outcome of the same request, or returns null: for work of several
 * transactions, which looks here first, and stores its outcome in the last one. The function throws invalid_request for
 * an invalid key, and conflict like requireSameRequest.
 */
export function createFindOutcome({ now }: Pick<Deps, 'now'>) {
  return async <Body>(request: Request, { db, workspace }: Session, body: unknown): Promise<Outcome<Body> | null> => {
    const idempotencyKey = readIdempotencyKey(request, body)
    if (idempotencyKey === null) return null
    const stored = await getOutcome(db, workspace.id, idempotencyKey.key, now() - OUTCOME_KEPT_MS)
    return stored && replay<Body>(stored, idempotencyKey.fingerprint)
  }
}

export type FindOutcome = ReturnType<typeof createFindOutcome>

function replay<Body>(stored: StoredOutcome, fingerprint: string): Outcome<Body> {
  requireSameRequest(stored, fingerprint)
  return {
    status: stored.status,
    headers: { ...JSON.parse(stored.headers), 'Idempotency-Replayed': 'true' },
    body: JSON.parse(stored.body),
  }
}

/** The Idempotency-Key of a request, and the hash of its method, path and body, which a repeat must have as well. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

/** Null without the header. @throws ApiError invalid_request if it is invalid */
export function readIdempotencyKey(request: Request, body: unknown): IdempotencyKey | null {
  const key = request.headers.get('idempotency-key')
  if (key === null) return null
  if (!KEY.test(key))
    throw invalid('/Idempotency-Key', 'invalid_header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
  return { key, fingerprint: fingerprintOf(request, body) }
}

/** Checks that a request repeats the stored one. @throws ApiError conflict if the key was used for another request */
export function requireSameRequest(stored: Pick<StoredOutcome, 'fingerprint'>, fingerprint: string): void {
  if (stored.fingerprint !== fingerprint)
    throw new ApiError('conflict', 'This Idempotency-Key was used for another request.')
}

function fingerprintOf(request: Request, body: unknown): string {
  const target = request.url.slice(request.url.indexOf('/', 8))
  return new Bun.CryptoHasher('sha256').update(`${request.method} ${target}\n${JSON.stringify(body)}`).digest('hex')
}
