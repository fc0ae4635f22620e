import { makeKey } from '../support/keys'
import { HEADER_LINE_BYTES, type Nginx, type Request, startNginx } from '../support/nginx'
import { chance, Place, Report, type Row } from './row'

/** Requests an hour without a key, and new keys in 24 hours, for each outsider. */
const FREE = 10
const NEW_KEYS = 2
/** At once: nginx and the server talk over as many connections. */
const CALLERS = 8
/** What chains are forged of. */
const PIECES = [
  ...['127.0.0.1, ', '127.0.0.1,', '::1,', '[::1]:80,', '::ffff:127.0.0.1, ', '"127.0.0.1",', '198.51.100.7, '],
  ...[',', ' ', '"', '\\"', '%', 'junk,', 'unix:,', 'for=127.0.0.1, ', '127.0.0.1;', '0x7f.1,', '64:ff9b::7f00:1,'],
]

/** Outsiders with forged chains before nginx on the same machine: each is itself, and none is the machine. */
export const nginx: Row = async ({ seed, quick }) => {
  const outsiders = quick ? 20 : 1000
  await using place = new Place()
  const settings = {
    TRUSTED_PROXIES: '127.0.0.1',
    FREE_LIMIT_PER_HOUR: `${FREE}`,
    NEW_KEYS_PER_DAY: `${NEW_KEYS}`,
  }
  const { url } = await place.start({ settings })
  await using front = await startNginx(url)
  const seen: Seen = { counted: [], exempt: [], shown: [], foreign: [] }
  let next = 0
  const caller = async () => {
    for (let n = next++; n < outsiders; n = next++) await attack(front.ask, n, chance(seed + n), seen)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  const report = new Report(`${outsiders} outsiders with forged chains through nginx on the same machine`)
  report.claim('each is counted on its own address', seen.counted)
  report.claim('none gets a new key more than its share', seen.exempt)
  report.claim('none reads the metrics', seen.shown)
  report.claim('none sees the notes of another', seen.foreign)
  report.claim('and the server answers', (await fetch(`${url}/healthz`)).ok)
  return report
}

/** What speaks against each claim. */
type Seen = Readonly<Record<'counted' | 'exempt' | 'shown' | 'foreign', string[]>>

/** All that one outsider may do in an hour, and one of each more. Another chain is forged for every request. */
async function attack(ask: Nginx['ask'], n: number, random: () => number, seen: Seen): Promise<void> {
  const from = n % 2 === 0 ? `203.0.${n >> 8}.${n & 255}` : `2001:db8:${n.toString(16)}::1`
  const send = (request: Omit<Request, 'from'>) =>
    ask({ ...request, from, headers: [...(request.headers ?? []), forged(random)] })
  const made = await send({ method: 'POST', path: '/api/notes', body: `{"title":"of ${n}"}` })
  const statuses = [made.status]
  for (let left = FREE - 2; left >= -1; left--) {
    const { status, headers, text } = await send({ path: '/api/notes' })
    statuses.push(status)
    const told = headers.get('X-RateLimit-Remaining')
    if (told !== String(Math.max(0, left))) seen.counted.push(`${from}: ${told} left, not ${left}`)
    if (status === 200 && text.match(/"title":"[^"]*"/g)?.join() !== `"title":"of ${n}"`) seen.foreign.push(from)
  }
  const due = [201, ...Array.from({ length: FREE - 1 }, () => 200), 429]
  if (statuses.join() !== due.join()) seen.counted.push(`${from}: ${statuses}`)
  const admitted: number[] = []
  for (let i = 0; i <= NEW_KEYS; i++)
    admitted.push((await send({ path: '/api', headers: [`X-API-Key: ${makeKey(n * (NEW_KEYS + 1) + i)}`] })).status)
  if (admitted.join() !== '200,200,429') seen.exempt.push(`${from}: ${admitted}`)
  const { status } = await send({ path: '/metrics' })
  if (status !== 404) seen.shown.push(`${from}: ${status}`)
}

/** A line of the header from one piece up to as many as nginx lets through. */
function forged(random: () => number): string {
  const name = random() < 0.9 ? 'X-Forwarded-For: ' : 'Forwarded: '
  const most = HEADER_LINE_BYTES - name.length - 2
  const length = Math.floor(random() ** 3 * most)
  let text = ''
  while (text.length <= length) {
    const piece = PIECES[Math.floor(random() * PIECES.length)] ?? ''
    text += piece.repeat(1 + Math.floor(random() ** 4 * 40))
  }
  return name + text.slice(0, most)
}
