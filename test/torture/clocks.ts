import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Faketime } from '../support/faketime'
import { makeKey } from '../support/keys'
import { chance, Place, Report, type Row } from './row'

const HOUR_MS = 3_600_000
/** Who counts how much is left, who has nothing left, and who has a key: the one new key that its network may bring. */
const HONEST = { 'X-Forwarded-For': '203.0.113.9' }
const SPENT = { 'X-Forwarded-For': '203.0.113.10' }
const KEYED = { 'X-Forwarded-For': '203.0.113.11', 'X-API-Key': makeKey(1) }
/** What an answer may be late by, in seconds. */
const LATE = 3

/** A clock that is ahead, set back and put right, with restarts in between: nobody is frozen, nobody gets more. */
export const clocks: Row = async ({ seed, quick }) => {
  const rounds = quick ? 4 : 60
  /** Requests an hour without a key. */
  const free = 3 * rounds + 10
  const random = chance(seed)
  const folder = mkdtempSync(join(tmpdir(), 'satchel-clock-'))
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
  await using place = new Place()
  const clock = new Faketime(folder)
  // A minute past: no hour ends by itself while it lasts.
  const right = HOUR_MS - (Date.now() % HOUR_MS) + 60_000
  clock.set(right)
  const settings = {
    ...clock.environment,
    TRUSTED_PROXIES: '127.0.0.1',
    FREE_LIMIT_PER_HOUR: `${free}`,
    NEW_KEYS_PER_DAY: '1',
  }
  let server = await place.start({ settings })
  let restarts = 0
  const failed: string[] = []
  const restart = async () => {
    if (random() < 0.5) return
    restarts++
    const { code, stdout } = await server.stop('SIGTERM')
    failed.push(...stdout.split('\n').filter((line) => /"level":(50|60)/.test(line)))
    if (code !== 0) failed.push(`code ${code}`)
    server = await place.start({ settings })
  }
  const ask = async (headers: Record<string, string>) => {
    const { status, headers: got } = await fetch(`${server.url}/api`, { headers })
    if (status !== 200 && status !== 429) failed.push(`status ${status}`)
    return { status, left: Number(got.get('X-RateLimit-Remaining')), wait: Number(got.get('Retry-After')), got }
  }
  const seen = { honest: [] as string[], waits: [] as string[], keys: [] as string[] }
  /** The wait of who has nothing left, while the hour of the right clock is held. */
  const look = async (what: string) => {
    const { status, wait, got } = await ask(SPENT)
    const due = Math.ceil((endOfHour(right) - clock.now) / 1000)
    const t = Number(/;t=(\d+)/.exec(got.get('RateLimit') ?? '')?.[1])
    if (status !== 429 || t !== wait || wait < due || wait > due + LATE)
      seen.waits.push(`${what}: ${status}, ${wait} s, t ${t}, due ${due}`)
  }
  await ask(KEYED)
  for (let i = 0; i < free; i++) await ask(SPENT)
  let { left } = await ask(HONEST)
  for (let round = 0; round < rounds; round++) {
    const isAhead = random() < 0.7
    const hours = isAhead ? 3 + Math.floor(10 ** (random() * 5)) : -1 - Math.floor(random() * 2)
    const what = `round ${round}, ${hours} hours`
    await restart()
    clock.set(right + hours * HOUR_MS)
    await restart()
    const away = await ask(HONEST)
    if (away.status !== 200) seen.honest.push(`${what}: ${away.status} meanwhile`)
    if (isAhead) await ask(SPENT)
    else await look(`${what}, meanwhile`)
    await restart()
    clock.set(right)
    await restart()
    const back = await ask(HONEST)
    const due = left - (isAhead ? 1 : 2)
    if (back.status !== 200 || back.left !== due) seen.honest.push(`${what}: ${back.left} left, due ${due}`)
    left = back.left
    await look(what)
    const { status } = await ask(KEYED)
    if (status !== 200) seen.keys.push(`${what}: ${status}`)
  }
  const { code } = await server.stop('SIGTERM')
  const report = new Report(`the clock set wrong and right ${rounds} times, ${restarts} restarts in between`)
  report.claim('honest callers are neither frozen nor refilled', seen.honest)
  report.claim('who has nothing left waits as long as is told', seen.waits)
  report.claim('a known key stays known', seen.keys)
  report.claim('no failure in the log, and it stops in order', code === 0 ? failed : [`code ${code}`, ...failed])
  return report
}

/** The end of the hour that the right clock shows, in ms since 1970. */
function endOfHour(right: number): number {
  return (Math.floor((Date.now() + right) / HOUR_MS) + 1) * HOUR_MS
}
