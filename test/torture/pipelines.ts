import { makeKey } from '../support/keys'
import { chance, Place, Report, type Row } from './row'

const KEY = makeKey(1)

interface Sent {
  readonly text: string
  /** The title of the note that it makes. */
  readonly title: string | null
}

/** Requests sent behind one another without waiting for answers. What has none can be repeated with its Idempotency-Key. */
export const pipelines: Row = async ({ seed, quick }) => {
  await using place = new Place()
  const { url } = await place.start({ settings: { API_LIMIT_PER_HOUR: '1000000' } })
  const random = chance(seed)
  const count = quick ? 100 : 2000
  let number = 0
  let unanswered = 0
  const titles: string[] = []
  const faults: string[] = []
  for (let n = 0; n < count; n++) {
    const sent = Array.from({ length: 2 + Math.floor(random() * 4) }, () =>
      random() < 0.5 ? readRequest() : writeRequest(`note ${++number}`),
    )
    const answered = await exchange(url, sent, random)
    if (answered < sent.length) unanswered++
    for (const { title, text } of sent) {
      if (title === null) continue
      titles.push(title)
      const status = await repeat(url, text)
      if (status !== 201) faults.push(`the repeat of ${title} got ${status}`)
    }
  }
  const made = await listTitles(url)
  const report = new Report(
    `${count} connections with 2 to 5 requests at once, ${unanswered} of which had not all answers`,
  )
  report.claim('what is repeated with its Idempotency-Key is made', faults)
  report.claim('and made once', made.length === titles.length && new Set(made).size === made.length)
  report.claim('each connection is answered or closed, and the server goes on', (await fetch(`${url}/healthz`)).ok)
  return report
}

const readRequest = (): Sent => ({
  text: `GET /api/notes HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n\r\n`,
  title: null,
})

function writeRequest(title: string): Sent {
  const body = JSON.stringify({ title })
  const lines = ['POST /api/notes HTTP/1.1', 'Host: localhost', `X-API-Key: ${KEY}`, 'Content-Type: application/json']
  const head = [...lines, `Idempotency-Key: ${title.replace(' ', '-')}`, `Content-Length: ${body.length}`].join('\r\n')
  return { text: `${head}\r\n\r\n${body}`, title }
}

/** Sends all at once, or in two parts. Returns how many answers came until all were there or the connection was closed. */
async function exchange(url: string, sent: readonly Sent[], random: () => number): Promise<number> {
  const { hostname, port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<void>()
  let text = ''
  const answers = () => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        text += String(chunk)
        if (answers() === sent.length) resolve()
      },
      close: () => resolve(),
      error: () => resolve(),
    },
  })
  const whole = sent.map((one) => one.text).join('')
  const cut = random() < 0.5 ? whole.length : Math.floor(random() * whole.length)
  socket.write(whole.slice(0, cut))
  if (cut < whole.length) {
    // Between the parts the server has a turn, or several.
    for (let n = Math.floor(random() * 3); n > 0; n--) await (await fetch(`${url}/healthz`)).text()
    socket.write(whole.slice(cut))
  }
  await promise
  socket.end()
  return answers()
}

/** Sends a request again, alone. */
async function repeat(url: string, text: string): Promise<number> {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const fields = head
    .split('\r\n')
    .slice(2)
    .map((line) => line.split(': ') as [string, string])
  return (await fetch(`${url}/api/notes`, { method: 'POST', headers: fields, body })).status
}

async function listTitles(url: string): Promise<string[]> {
  const titles: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/api/notes?limit=200${cursor ? `&cursor=${cursor}` : ''}`
    const page = (await (await fetch(url + path, { headers: { 'X-API-Key': KEY } })).json()) as {
      items: { title: string }[]
      next_cursor: string | null
    }
    titles.push(...page.items.map(({ title }) => title))
    cursor = page.next_cursor
  }
  return titles
}
