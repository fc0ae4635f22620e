import { processorSeconds } from '../../bench/proc'
import { makeKey } from '../support/keys'
import { type Exchange, sendBytes } from '../support/wire'
import { Place, Report, type Row } from './row'

const KEY = makeKey(1)
const LIMIT_MS = 25_000
/** In the short form, on a machine that is busy with other tests, which is late. */
const QUICK_LIMIT_MS = 30_000
/** The renderer is busy with it until its limit, which is 3 s of the processor's time. */
const HOSTILE = '_a'.repeat(2 ** 19)
/** Bun closes an idle connection after 30 s, in steps of 4 s. */
const IDLE_MS = 60_000
/** The time between two parts of a slow body, of which there are three. */
const PAUSE_MS = 12_000
const HEADERS = ['Host: localhost', `X-API-Key: ${KEY}`, 'Content-Type: application/json']
/** Of the processor's time, which one hostile body that is still rendered would use up. */
const LEFT_SECONDS = 2

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly ms: number
}

/** More hostile bodies than can be rendered in time, and bodies that stop: each request has its answer by 25 s. */
export const answers: Row = async ({ quick }) => {
  await using place = new Place()
  const { url, pid } = await place.start({ settings: { API_LIMIT_PER_HOUR: '100000' } })
  const count = quick ? 12 : 40
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await makeNote(url, `${HOSTILE.slice(n)}`))
  const renders = ids.map((id) => timed(() => render(url, id)))
  const slow = timed(() => slowBody(url))
  const idle = closedAfter(url)
  const stalled = Array.from({ length: count }, () => timed(() => sendBytes(url, stalledRequest())))
  const answered = await Promise.all([...renders, ...stalled])
  const spent = processorSeconds(pid)
  const plain = await render(url, await makeNote(url, '*a*'))
  const text = await plain.text()
  const report = new Report(`${count} hostile bodies rendered and ${count} bodies that stop, all at once`)
  const slowest = Math.max(...answered.map(({ ms }) => ms))
  const limit = quick ? QUICK_LIMIT_MS : LIMIT_MS
  report.claim(
    'each has a status with the headers',
    answered.flatMap((one) => faultsOf(one)),
  )
  report.claim(`each by ${limit / 1000} s`, slowest <= limit ? [] : [`${Math.round(slowest)} ms`])
  report.claim(
    'what cannot be rendered in time is refused',
    answered.slice(0, count).some(({ status }) => status === 503),
  )
  report.claim(
    'what stops arriving is refused',
    answered.slice(count).every(({ status }) => status === 503),
  )
  const left = processorSeconds(pid) - spent
  const { status } = await slow
  report.claim('a body may take longer than an idle connection', status === 201 ? [] : [`status ${status}`])
  report.claim('and afterwards a connection may not be idle for long', (await idle) <= IDLE_MS)
  report.claim('and nothing goes on', left < LEFT_SECONDS ? [] : [`${left} s of the processor's time`])
  report.claim('the next is rendered', text === '<p><em>a</em></p>\n' ? [] : [`${plain.status} ${text.slice(0, 100)}`])
  return report
}

async function makeNote(url: string, body: string): Promise<string> {
  const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' }
  const sent = await fetch(`${url}/api/notes`, { method: 'POST', headers, body: JSON.stringify({ body }) })
  return ((await sent.json()) as { id: string }).id
}

const render = (url: string, id: string) =>
  fetch(`${url}/api/notes/${id}`, { headers: { 'X-API-Key': KEY, Accept: 'text/html' } })

/** A note whose body arrives in more than the 30 s after which an idle connection is closed. */
async function slowBody(url: string): Promise<Exchange> {
  const body = JSON.stringify({ title: 'slow', body: 'b'.repeat(100) })
  const head = ['POST /api/notes HTTP/1.1', ...HEADERS, `Content-Length: ${body.length}`, 'Connection: close'].join(
    '\r\n',
  )
  const parts = [body.slice(0, 9), body.slice(9, 99), body.slice(99)]
  const later = parts.map((part, n) => Bun.sleep((n + 1) * PAUSE_MS).then(() => part))
  return sendBytes(url, `${head}\r\n\r\n`, ...later)
}

/** Sends a change and then nothing. Returns after how many milliseconds the connection is closed. */
async function closedAfter(url: string): Promise<number> {
  const began = performance.now()
  await sendBytes(url, `${['POST /api/notes HTTP/1.1', ...HEADERS, 'Content-Length: 2'].join('\r\n')}\r\n\r\n{}`)
  return performance.now() - began
}

/** A request whose body stops after its first byte. */
function stalledRequest(): string {
  const lines = ['POST /api/notes HTTP/1.1', ...HEADERS, 'Content-Length: 100', 'Connection: close']
  return `${lines.join('\r\n')}\r\n\r\n{`
}

async function timed(ask: () => Promise<Omit<Answered, 'ms'>>): Promise<Answered> {
  const began = performance.now()
  try {
    const { status, headers } = await ask()
    return { status, headers, ms: performance.now() - began }
  } catch {
    return { status: Number.NaN, headers: new Headers(), ms: performance.now() - began }
  }
}

function faultsOf({ status, headers }: Answered): string[] {
  const names = ['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', ...(status === 503 ? ['Retry-After'] : [])]
  return [
    ...([200, 503].includes(status) ? [] : [`status ${status}`]),
    ...names.flatMap((name) => (headers.has(name) ? [] : [`${status} without ${name}`])),
  ]
}
