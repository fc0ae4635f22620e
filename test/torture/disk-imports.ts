import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { MANY_CALLERS, makeKey } from '../support/keys'
import type { Server } from '../support/process'
import { contradictions } from '../support/recount'
import { mounted, run } from './disk'
import { Place, type Report } from './row'
import { ask, calendarOf, contentOf, ended, hasEnded, runsOf } from './runs'

const MIB = 1024 * 1024
const TASKS = 1000
/** Room that there is for an import, in MiB: from too little for its file to enough for most of it. */
const ROOMS = { quick: [0.5], all: [0.05, 0.15, 0.3, 0.6, 1, 2, 4, 8, 16, 32] }

/** The disk becomes full while a file arrives, is read, or is applied. Only where a file system of its own can be mounted. */
export async function fillUnderImports(report: Report, quick: boolean): Promise<void> {
  await using place = new Place()
  using small = mounted(place.folder, 128 * MIB)
  if (!small) return
  const start = () => place.start({ settings: { ...MANY_CALLERS, MIN_FREE_BYTES: '0' } })
  const body = calendarOf(TASKS)
  const send = (server: Server, key: string, query = '') =>
    fetch(`${server.url}/api/tasks/import${query}`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'text/calendar' },
      body,
    })
  let server = await start()
  await send(server, makeKey(1))
  const peace = await contentOf(server.url, makeKey(1))
  const faults: string[] = []
  const unlike: string[] = []
  const left: string[] = []
  const ends: string[] = []
  for (const [n, room] of (quick ? ROOMS.quick : ROOMS.all).entries()) {
    const [key, what] = [makeKey(100 + n), `with ${room} MiB`]
    // The workspace is there, and the log of SQLite is short.
    await ask(server.url, key, '/api/notes')
    await server.stop('SIGTERM')
    server = await start()
    leaveRoom(place.folder, room * MIB)
    for (const query of ['?dry_run=true', '']) {
      const answer = await send(server, key, query)
      ends.push(`${answer.status}`)
      faults.push(...(await misspoken(`${what}${query}`, answer)))
    }
    if (!(await fetch(`${server.url}/healthz`)).ok) faults.push(`${what}: not alive`)
    rmSync(join(place.folder, 'ballast'))
    await server.stop('SIGTERM')
    server = await start()
    for (const one of await runsOf(server.url, key)) {
      const { state } = await ended(server.url, key, one)
      if (!hasEnded({ state })) faults.push(`${what}: its run stays ${state}`)
    }
    // A run removes its files after its row has ended; a server that stops in order waits for that.
    await server.stop('SIGTERM')
    left.push(...foldersOf(place.folder).map((name) => `${what}: ${name}`))
    server = await start()
    const again = await send(server, key)
    if (!again.ok || (await contentOf(server.url, key)) !== peace) unlike.push(`${what}: ${again.status}`)
  }
  const where = 'full under an import'
  report.claim(`${where}: answered with ${ends.join(', ')}, and never with an error of the server`, faults)
  report.claim(`${where}: with room again it goes on, or its repeat comes to what one in peace does`, unlike)
  report.claim(`${where}: no file stays`, left)
  report.claim(`${where}: it stops in order`, (await server.stop('SIGTERM')).code === 0)
  report.claim(`${where}: no half change, integrity_check ok`, await contradictions(place.folder))
}

/** What is wrong with an answer that neither serves nor says that the disk is full, or that its data cannot be reached. */
async function misspoken(what: string, answer: Response): Promise<string[]> {
  const text = await answer.text()
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  const said = answer.ok ? 'served' : `${answer.status} ${code}`
  return ['served', '507 storage_full', '503 unavailable'].includes(said)
    ? []
    : [`${what}: ${said} ${text.slice(0, 100)}`]
}

function foldersOf(folder: string): string[] {
  const root = join(folder, 'imports')
  return existsSync(root) ? readdirSync(root) : []
}

function leaveRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  const blocks = Math.max(0, Math.floor((bavail * bsize - bytes) / 4096))
  run('dd', 'if=/dev/zero', `of=${join(folder, 'ballast')}`, 'bs=4096', `count=${blocks}`)
}
