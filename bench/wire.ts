/** What answers and pages weigh, and what compressing them costs: with Accept-Encoding and without, in turns. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { against } from './against'
import { words } from './corpus'
import { type Effort, type Figure, median, type Row } from './figures'
import { get } from './requests'
import { startSatchel, withNotes } from './server'

/** Notes that have little in common, as the notes of people. */
const NOTES = Array.from({ length: 200 }, () => ({ title: words(5), body: words(60), tags: [words(1)] }))
const ACCEPT = 'Accept-Encoding: gzip, br\r\n'
/** What a browser may load at first, in bytes. */
const MOST = 50 * 1024

function compressed(name: string, path: string, notes: number, target: number): Row {
  const start = () => withNotes(startSatchel(), NOTES.slice(0, notes))
  return against({
    name: `${name} with Accept-Encoding, against without`,
    target,
    connections: 32,
    satchel: { start, request: get(path, ACCEPT) },
    peer: { start, request: get(path) },
  })
}

interface Visit {
  readonly requests: number
  /** Of bodies, as they were sent. */
  readonly bytes: number
  readonly ms: number
}

/** A browser that asks for a page, and one by one for the files that it and its scripts name. */
class Visitor {
  readonly #base: string
  readonly #encoding: string
  readonly #kept = new Map<string, { readonly etag: string; readonly text: string; readonly isFresh: boolean }>()

  constructor(base: string, encoding: string) {
    this.#base = base
    this.#encoding = encoding
  }

  async visit(path: string): Promise<Visit> {
    let [requests, bytes] = [0, 0]
    const load = async (url: string): Promise<string> => {
      const kept = this.#kept.get(url)
      if (kept?.isFresh) return kept.text
      requests++
      const headers = { 'Accept-Encoding': this.#encoding, ...(kept && { 'If-None-Match': kept.etag }) }
      const answer = await fetch(url, { headers, decompress: false })
      if (kept && answer.status === 304) return kept.text
      if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
      const body = await answer.bytes()
      bytes += body.length
      const text = decode(body, answer.headers.get('Content-Encoding'))
      const isFresh = answer.headers.get('Cache-Control')?.includes('immutable') ?? false
      this.#kept.set(url, { etag: answer.headers.get('ETag') ?? '', text, isFresh })
      return text
    }
    const began = performance.now()
    const urls = new Set([this.#base + path])
    for (const url of urls) {
      const named = (await load(url)).matchAll(/(?:from '|(?:src|href)=")([\w./-]+\.(?:js|css|svg))['"]/g)
      for (const [, address = ''] of named) urls.add(new URL(address, url).href)
    }
    return { requests, bytes, ms: performance.now() - began }
  }
}

function decode(body: Uint8Array, coding: string | null): string {
  if (coding === 'br') return brotliDecompressSync(body).toString()
  return new TextDecoder().decode(coding === 'gzip' ? gunzipSync(body) : body)
}

async function measurePage(path: string, { rounds }: Effort): Promise<Figure> {
  const server = await startSatchel()
  try {
    const base = `http://127.0.0.1:${server.port}`
    const visits: Record<string, [first: Visit, second: Visit][]> = { 'br, gzip': [], identity: [] }
    for (let round = 0; round < rounds; round++)
      for (const [encoding, pairs] of Object.entries(visits)) {
        const visitor = new Visitor(base, encoding)
        pairs.push([await visitor.visit(path), await visitor.visit(path)])
      }
    const middle = (encoding: string, which: 0 | 1, part: keyof Visit) =>
      median((visits[encoding] ?? []).map((pair) => pair[which][part]))
    const shown = (encoding: string) => {
      const [first, second] = ([0, 1] as const).map((which) => {
        const [requests, bytes, ms] = (['requests', 'bytes', 'ms'] as const).map((part) =>
          middle(encoding, which, part),
        )
        return `${requests} requests, ${((bytes ?? 0) / 1000).toFixed(0)} KB, ${ms?.toFixed(1)} ms`
      })
      return `${encoding}: ${first}, again ${second}`
    }
    const earliest = visits['br, gzip']?.[0]?.[0].ms.toFixed(0)
    return {
      measured: `${Object.keys(visits).map(shown).join('; ')}; the first of all ${earliest} ms`,
      reached:
        middle('br, gzip', 0, 'bytes') <= MOST &&
        middle('br, gzip', 1, 'requests') === 1 &&
        middle('br, gzip', 1, 'bytes') === 0,
    }
  } finally {
    await server.stop()
  }
}

const pageRow = (path: string): Row => ({
  name: `The page ${path} with its files, visited twice, with Accept-Encoding and without`,
  target: '≤ 51 KB, then 1 request and no body',
  measure: (effort) => measurePage(path, effort),
})

export const wireRows: readonly Row[] = [
  compressed('GET /api/notes, 20 notes,', '/api/notes?limit=20', 20, 0.7),
  compressed('GET /api/notes, 200 notes,', '/api/notes?limit=200', 200, 0.3),
  compressed('GET /docs', '/docs', 0, 0.8),
  pageRow('/'),
  pageRow('/docs'),
]
