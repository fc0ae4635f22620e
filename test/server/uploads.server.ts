import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { type Server, startServer } from '../support/server'
import { zipOf } from '../support/zip'

/** Files that arrive slowly, at a server behind a proxy: its callers have the addresses that the proxy tells. */

const SETTINGS = {
  ...MANY_CALLERS,
  NETWORK_CEILING_PER_HOUR: '1000000',
  FREE_LIMIT_PER_HOUR: '100000',
  TRUSTED_PROXIES: '127.0.0.1',
}

interface Caller {
  /** As a proxy tells it; null without one. */
  readonly address: string | null
  readonly key?: string
}

const stranger = (n: number) => ({ address: `198.51.100.${n + 1}` })
const keyed = (n: number, address = '203.0.113.1') => ({ address, key: makeKey(n) })

/** Notes as an archive whose bytes cannot be packed. */
function vault(notes: number, bytes = 100): Uint8Array<ArrayBuffer> {
  const entry = (n: number) => ({ name: `${n}.md`, data: `# ${n}\n${'x'.repeat(bytes)}`, method: 0 })
  return zipOf(Array.from({ length: notes }, (_, n) => entry(n)))
}

async function send(server: Server, { address, key }: Caller, body: BodyInit, signal?: AbortSignal) {
  const headers = {
    'Content-Type': 'application/zip',
    ...(address ? { 'X-Forwarded-For': address } : {}),
    ...(key ? { 'X-API-Key': key } : {}),
  }
  const init = { method: 'POST', headers, body, ...(signal ? { signal } : {}) }
  const answer = await fetch(`${server.url}/api/notes/import`, init)
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
}

/** A file of which half is sent, and the rest when the test says so. */
function slowly(server: Server, caller: Caller, file = vault(1)) {
  const { promise: rest, resolve: finish } = Promise.withResolvers<void>()
  const gone = new AbortController()
  const half = file.length >> 1
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(file.subarray(0, half))
      await rest
      controller.enqueue(file.subarray(half))
      controller.close()
    },
  })
  let isAnswered = false
  const answer = send(server, caller, body, gone.signal).finally(() => {
    isAnswered = true
  })
  return { answer, finish, hangUp: () => gone.abort(), isAnswered: () => isAnswered }
}

/** How many files arrive, or are here and are not imported yet. */
function filesOf({ folder }: Server): number {
  const root = join(folder, 'imports')
  return existsSync(root) ? readdirSync(root).filter((run) => existsSync(join(root, run, 'file'))).length : 0
}

async function untilFiles(server: Server, count: number): Promise<void> {
  while (filesOf(server) !== count) await fetch(`${server.url}/healthz`)
}

describe('files that arrive slowly', () => {
  test.each<[whose: string, caller: (n: number) => Caller]>([
    ['callers without a key', stranger],
    ['keys of as many networks', (n) => keyed(100 + n, stranger(n).address)],
  ])('from 20 %s are in nobody’s way, and are imported in the end', async (_, caller) => {
    const server = await startServer({ settings: SETTINGS })
    const uploads = Array.from({ length: 20 }, (_, n) => slowly(server, caller(n)))
    await untilFiles(server, 20)
    // Of another network, and of one that is in the middle of an upload.
    for (const other of [keyed(1), keyed(2, stranger(30).address), stranger(31)])
      expect((await send(server, other, vault(20))).body.totals?.created).toBe(20)
    expect(uploads.map(({ isAnswered }) => isAnswered())).not.toContain(true)
    for (const { finish } of uploads) finish()
    for (const { answer } of uploads) expect((await answer).body.totals?.created).toBe(1)
  })

  test('from 20 callers of one address are taken one after the other, and keep no key of it waiting', async () => {
    const server = await startServer({ settings: SETTINGS })
    const uploads = Array.from({ length: 20 }, () => slowly(server, stranger(1)))
    await untilFiles(server, 1)
    for (const other of [keyed(1, stranger(1).address), keyed(2), stranger(2)])
      expect((await send(server, other, vault(20))).body.totals?.created).toBe(20)
    expect(filesOf(server)).toBe(1)
    expect(uploads.map(({ isAnswered }) => isAnswered())).not.toContain(true)
    for (const { finish } of uploads) finish()
    const totals = await Promise.all(uploads.map(async ({ answer }) => (await answer).body.totals))
    // They share one space, whose notes all have the same name.
    expect(totals.map(({ created }) => created).sort()).toEqual([...Array(19).fill(0), 1])
  })

  test('with keys of one network are taken one after the other, and keep no other network waiting', async () => {
    const server = await startServer({ settings: SETTINGS })
    const uploads = Array.from({ length: 100 }, (_, n) => slowly(server, keyed(100 + n)))
    const refused = await Promise.all(uploads.slice(21).map(({ answer }) => answer))
    for (const { status, headers, body } of refused) {
      expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'unavailable', '20'])
      expect(body.detail).toMatch(/place \d+ in line/)
    }
    expect(filesOf(server)).toBe(1)
    for (const other of [keyed(1, '192.0.2.1'), stranger(1), { address: keyed(1).address }])
      expect((await send(server, other, vault(20))).body.totals?.created).toBe(20)
    for (const { finish } of uploads.slice(0, 21)) finish()
    for (const { answer } of uploads.slice(0, 21)) expect((await answer).body.totals?.created).toBe(1)
  })

  test('and are given up midway leave no file, and their place to the next', async () => {
    const server = await startServer({ settings: SETTINGS })
    const callers = [stranger(1), keyed(1), { address: keyed(1).address }]
    const gone = callers.map((caller) => slowly(server, caller))
    await untilFiles(server, 3)
    for (const { hangUp, answer } of gone) {
      hangUp()
      expect(await answer.catch(({ name }) => name)).toBe('AbortError')
    }
    await untilFiles(server, 0)
    expect(readdirSync(join(server.folder, 'imports'))).toEqual([])
    for (const caller of callers) expect((await send(server, caller, vault(3))).body.totals?.created).toBe(3)
  })

  test('are taken up to 4 MiB without a key, and to more with one', async () => {
    const server = await startServer({ settings: SETTINGS })
    const [small, large] = [vault(41, 100_000), vault(42, 100_000)]
    expect((await send(server, stranger(1), small)).status).toBe(200)
    const { status, body } = await send(server, stranger(1), large)
    expect([status, body.code]).toEqual([413, 'too_large'])
    const half = slowly(server, stranger(2), large)
    half.finish()
    expect((await half.answer).body.code).toBe('too_large')
    expect((await send(server, keyed(1), large)).body.totals?.created).toBe(42)
    await untilFiles(server, 0)
  })

  test.each<[where: string, settings: Record<string, string>]>([
    ['on this machine', { ...SETTINGS, TRUSTED_PROXIES: '' }],
    ['where keys have no ceiling together', { ...SETTINGS, NETWORK_CEILING_PER_HOUR: '0' }],
  ])('with keys of one network arrive together %s', async (_, settings) => {
    const server = await startServer({ settings })
    const address = settings.TRUSTED_PROXIES === '' ? null : keyed(1).address
    const uploads = [1, 2, 3].map((n) => slowly(server, { address, key: makeKey(n) }))
    await untilFiles(server, 3)
    for (const { finish } of uploads) finish()
    for (const { answer } of uploads) expect((await answer).body.totals?.created).toBe(1)
  })
})
