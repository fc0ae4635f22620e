import { expect, test } from 'bun:test'
import { closeSync, constants, fstatSync, openSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'
import { FULL } from '../support/full'
import { beWithinAnHour, MANY_CALLERS, makeKey } from '../support/keys'
import { droppedLines } from '../support/process'
import { type Server, startServer } from '../support/server'

/** A log that cannot be written, or that nobody reads: the server goes on, counts what it drops, and ends as always. */

/** Lines that a pipe of Linux has no room for: it holds 64 KiB, and a line is longer than 100 bytes. */
const LINES = 1500

const ask = async (server: Server) => (await fetch(`${server.url}/api`)).status
const ENDLESS = { FREE_LIMIT_PER_HOUR: '100000' }

/** A pipe that is open for both, so that neither end waits for the other. */
function openPipe(): { path: string; end: number } {
  const path = join(makeFolder(), 'log')
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)
  return { path, end: openSync(path, constants.O_RDWR) }
}

/** From here on a write to the pipe fails where it would wait, in whatever process. Bun's spawn would undo it. */
function unblock(end: number): void {
  expect(Bun.spawnSync(['dd', 'if=/dev/null', 'oflag=nonblock'], { stdout: end }).exitCode).toBe(0)
}

/** The writing end of a pipe whose reader is gone. */
function openBrokenPipe(): number {
  const { path, end } = openPipe()
  const writing = openSync(path, constants.O_WRONLY)
  closeSync(end)
  return writing
}

const openFull = () => openSync('/dev/full', constants.O_WRONLY)

/** It ends in order and lets go of the folder: another one goes on with what was counted and stored. */
async function expectOrderlyEnd(server: Server, path: string, used: number): Promise<void> {
  const began = performance.now()
  expect((await server.stop('SIGTERM')).code).toBe(0)
  expect(performance.now() - began).toBeLessThan(9000)
  const again = await startServer({ folder: server.folder, settings: ENDLESS })
  expect((await fetch(again.url + path)).status).toBe(200)
  const usage = (await (await fetch(`${again.url}/api/usage`)).json()) as { remaining: number }
  expect(usage.remaining).toBe(100_000 - used - 1)
}

async function addNote({ url }: Server): Promise<string> {
  const headers = { 'Content-Type': 'application/json' }
  const made = await fetch(`${url}/api/notes`, { method: 'POST', body: '{"title":"kept"}', headers })
  expect(made.status).toBe(201)
  return made.headers.get('Location') ?? ''
}

test.each([
  ['is on a full disk', () => ({ stdout: openFull() })],
  ['is a pipe without a reader', () => ({ stdout: openBrokenPipe() })],
  ['and standard error are on a full disk', () => ({ stdout: openFull(), stderr: openFull() })],
  ['and standard error are pipes without a reader', () => ({ stdout: openBrokenPipe(), stderr: openBrokenPipe() })],
])('standard output %s: requests are served, each dropped line is counted, SIGTERM ends it', async (_, open) => {
  await beWithinAnHour()
  const server = await startServer({ settings: ENDLESS, ...open() })
  const path = await addNote(server)
  for (let n = 0; n < 50; n++) expect(await ask(server)).toBe(200)
  // The line of the start, and one for each request.
  while ((await droppedLines(server.url)) < 52);
  expect(await droppedLines(server.url)).toBe(52)
  await expectOrderlyEnd(server, path, 51)
})

/** A pipe that blocks, as most are; in full one that does not, too. */
const PIPES: [kind: string, prepare: (end: number) => void][] = [
  ['that blocks', () => {}],
  ...(FULL ? [['that does not block', unblock] as [string, typeof unblock]] : []),
]

test.each(PIPES)(
  'a log on a pipe %s, which nobody reads, holds up no request, and the whole of it comes when it is read',
  async (_, prepare) => {
    const { path, end } = openPipe()
    const server = await startServer({ settings: ENDLESS, stdout: end })
    prepare(end)
    for (let n = 0; n < LINES; n++) expect(await ask(server)).toBe(200)
    const reader = Bun.spawn(['cat', path], { stdout: 'pipe' })
    const lines = linesOf(reader.stdout)
    // Nothing more is logged meanwhile: what waits is not written because something comes.
    expect(await untilLine(lines, 'answered', LINES)).toMatchObject({ length: LINES + 1 })
    expect(await droppedLines(server.url)).toBe(0)
    const ended = server.stop('SIGTERM')
    expect(await untilLine(lines, 'Satchel has stopped', 1)).toMatchObject({ length: 1 })
    reader.kill()
    expect((await ended).code).toBe(0)
    closeSync(end)
  },
)

test('a log that is read when the process ends comes wholly', async () => {
  const { path, end } = openPipe()
  const server = await startServer({ settings: ENDLESS, stdout: end })
  for (let n = 0; n < LINES; n++) expect(await ask(server)).toBe(200)
  const ended = server.stop('SIGTERM')
  const reader = Bun.spawn(['cat', path], { stdout: 'pipe' })
  const log = await untilLine(linesOf(reader.stdout), 'Satchel has stopped', 1)
  reader.kill()
  expect((await ended).code).toBe(0)
  expect(log).toHaveLength(LINES + 2)
  closeSync(end)
})

test.each(PIPES)(
  'a pipe %s and is never read: what waits is bounded, the rest dropped, SIGTERM ends it',
  async (_, prepare) => {
    await beWithinAnHour()
    const { end } = openPipe()
    const server = await startServer({ settings: ENDLESS, stdout: end })
    prepare(end)
    const path = await addNote(server)
    let asked = 0
    while ((await droppedLines(server.url)) === 0 && asked < 20_000) {
      await Promise.all(Array.from({ length: 500 }, () => ask(server)))
      asked += 500
    }
    const before = await droppedLines(server.url)
    expect(before).toBeGreaterThan(0)
    for (let n = 0; n < 10; n++) expect(await ask(server)).toBe(200)
    // One that is shorter than all before may still fit.
    expect(await droppedLines(server.url)).toBeWithin(before + 9, before + 11)
    await expectOrderlyEnd(server, path, 1 + asked + 10)
    closeSync(end)
  },
)

/** The largest file of the test of a disk that fills, in KiB: the databases stay far below. */
const FULL_KIB = 64 * 1024
/** What the log has room for, in bytes: so little that the disk fills within a line. */
const ROOM = 1000

test('a disk that is full and has room again: lines flow again, and the first tells how many are missing', async () => {
  const file = join(makeFolder(), 'log')
  const log = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT)
  const start = FULL_KIB * 1024 - ROOM
  truncateSync(file, start)
  const settings = { ...ENDLESS, ...MANY_CALLERS }
  const server = await startServer({ settings, stdout: log, fileKiB: FULL_KIB })
  const key = { headers: { 'X-API-Key': makeKey(1) } }
  for (let n = 0; n < 20; n++) expect(await ask(server)).toBe(200)
  while ((await droppedLines(server.url)) === 0);
  expect(fstatSync(log).size).toBe(FULL_KIB * 1024)
  for (let n = 0; n < 20; n++) expect((await fetch(`${server.url}/api`, key)).status).toBe(200)
  while ((await droppedLines(server.url)) < 20);
  expect(Bun.spawnSync(['prlimit', '--pid', `${server.pid}`, '--fsize=unlimited:']).success).toBe(true)
  expect(await ask(server)).toBe(200)
  const read = async () => (await Bun.file(file).slice(start).text()).trimEnd().split('\n')
  while (!(await read()).some((line) => line.includes('"dropped"')));
  for (let n = 0; n < 2; n++) expect(await ask(server)).toBe(200)
  const total = await droppedLines(server.url)
  expect((await server.stop('SIGTERM')).code).toBe(0)
  const lines = await read()
  const whole = lines.filter((line) => /^\{.*\}$/.test(line)).map((line) => JSON.parse(line))
  // One line is torn: the one at which the disk was full.
  expect(lines.length - whole.length).toBe(1)
  expect(whole.filter(({ msg }) => /dropped/.test(msg))).toEqual([
    { level: 40, time: expect.any(Number), dropped: total, msg: expect.any(String) },
  ])
  expect(whole.at(-1)).toMatchObject({ msg: 'Satchel has stopped' })
  expect(whole.filter(({ msg }) => msg === 'answered').length + total).toBe(43)
  closeSync(log)
})

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<{ msg: string }> {
  const decoder = new TextDecoder()
  let begun = ''
  for await (const chunk of stream) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}

/** The lines up to the one with which so many have had this message. */
async function untilLine(lines: AsyncGenerator<{ msg: string }>, message: string, times: number) {
  const read: { msg: string }[] = []
  for (let found = 0; found < times; ) {
    const { value } = await lines.next()
    if (!value) break
    read.push(value)
    if (value.msg === message) found++
  }
  return read
}
