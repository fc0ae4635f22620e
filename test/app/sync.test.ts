/** When the server is asked again: for the stream that was lost, in which order answers count, and once the hour is over. */
import { afterAll, describe, expect, test } from 'bun:test'
import { hold, lost, makeDevices, type Route, type Tab } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const HOUR_MS = 3_600_000
/** After so many milliseconds of attempts the next wait for the stream is the longest, of two minutes. */
const LONGEST_AFTER_MS = 127_000
const STREAM = /changes\/stream/

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, pass } = makeDevices(world)

const shown = ({ workspace }: Tab) =>
  [...workspace.copy.shown.task.peek().values()].map(({ title }) => title).toSorted()
const add = ({ app, workspace }: Tab, title: string) => app.addTask(workspace, title, null, null)

/** Opens a tab whose requests to a path are answered so, until the waits for the stream are the longest. */
async function openLost(path: RegExp, answer: Route) {
  const { key, ask } = stranger()
  const device = openDevice([key])
  const unroute = device.route(path, answer)
  const tab = await device.openTab()
  await pass(LONGEST_AFTER_MS)
  return { ask, tab, unroute }
}

test.each([
  ['what is asked for by hand', ({ workspace }: Tab) => workspace.sync.pull()],
  ['what is asked for when one looks again', (tab: Tab) => tab.look()],
  ['a change', (tab: Tab) => add(tab, 'Buy stamps')],
])('the answer to %s ends the wait, though the browser told of no network', async (_, askOther) => {
  const { ask, tab, unroute } = await openLost(/./, lost)
  unroute()
  await askOther(tab)
  await until(() => tab.countSent(STREAM), 1)
  await ask('POST', 'api/tasks', { title: 'From elsewhere' })
  await until(() => shown(tab).includes('From elsewhere'))
})

test.each([
  ['that alone never arrives', 1, lost],
  ['that a proxy ends at once', 0, async () => new Response('', { headers: { 'Content-Type': 'text/event-stream' } })],
  ['that is refused for now', 0, async () => new Response('', { status: 429, headers: { 'Retry-After': '1' } })],
])('a stream %s is asked for at most %d times more while others are answered', async (_, most, answer) => {
  let asked = 0
  const { tab } = await openLost(STREAM, (pass, sent) => {
    asked += 1
    return answer(pass, sent)
  })
  const before = asked
  expect(before).toBe(7)
  for (let times = 0; times < 4; times++) {
    await tab.workspace.sync.pull()
    await pass(1000)
  }
  expect(asked - before).toBe(most)
})

describe('the first reading', () => {
  const FEED = /api\/changes\?/
  const titles = Array.from({ length: 450 }, (_, place) => `Task ${String(place).padStart(3, '0')}`)
  async function makeFull() {
    const { key, ask } = stranger()
    for (let at = 0; at < titles.length; at += 90)
      await ask('POST', 'api/tasks/batch', {
        ops: titles.slice(at, at + 90).map((title) => ({ op: 'create', data: { title } })),
      })
    return { device: openDevice([key]) }
  }
  /** Passes on so many pages of an answer, and breaks off within the next. */
  const breakOffAfter =
    (pages: number): Route =>
    async (pass) => {
      const lines = (await (await pass()).text()).split('\n')
      const body = new TextEncoder().encode(
        lines
          .slice(0, pages + 1)
          .join('\n')
          .slice(0, -5),
      )
      const chunks = [body]
      const stream = new ReadableStream({
        pull(controller) {
          const chunk = chunks.pop()
          if (chunk) controller.enqueue(chunk)
          else controller.error(new TypeError('network error'))
        },
      })
      return new Response(stream)
    }

  test('takes one request, however many items there are', async () => {
    const { device } = await makeFull()
    const tab = await device.openTab()
    await until(() => shown(tab).length, titles.length)
    expect(shown(tab)).toEqual(titles)
    expect(tab.countSent(FEED)).toBe(1)
    expect(tab.workspace.sync.unread.peek()).toBeNull()
  })

  test('that breaks off does not claim to be whole, also when the page is opened again, and goes on from there', async () => {
    const { device } = await makeFull()
    device.route(FEED, breakOffAfter(1), 1)
    let tab = await device.openTab()
    await until(() => tab.workspace.sync.state.peek().is, 'failed')
    expect(shown(tab)).toEqual(titles.slice(0, 200))
    expect(tab.workspace.sync.unread.peek()).toBe('This is not on this device yet.')
    tab.close()
    const unroute = device.route(FEED, lost)
    tab = await device.openTab()
    await until(() => tab.workspace.sync.state.peek().is, 'failed')
    expect([shown(tab).length, tab.workspace.sync.unread.peek()]).toEqual([200, 'This is not on this device yet.'])
    unroute()
    let since = ''
    device.route(FEED, (pass, { path }) => {
      since = /since=(\d+)/.exec(path)?.[1] ?? ''
      return pass()
    })
    await tab.workspace.sync.pull()
    expect(shown(tab)).toEqual(titles)
    expect(since).toBe('200')
    expect(tab.workspace.sync.unread.peek()).toBeNull()
    // Now that it was whole once, it is at once.
    tab.close()
    device.route(FEED, lost)
    tab = await device.openTab()
    await until(() => tab.workspace.sync.unread.peek(), null)
    expect(shown(tab).length).toBe(450)
  })
})

describe('an answer that comes late', () => {
  async function openTab() {
    const { key, ask } = stranger()
    const tab = await openDevice([key]).openTab()
    await until(() => tab.countSent(STREAM), 1)
    return { ask, tab }
  }

  test('does not bring back what was deleted elsewhere before its own making was answered', async () => {
    const { ask, tab } = await openTab()
    const held = hold(tab, /tasks\/batch/, 'answer')
    add(tab, 'Buy stamps')
    await until(() => held.isThere)
    const [{ id }] = (await ask('GET', 'api/tasks')).items
    await ask('DELETE', `api/tasks/${id}`)
    await ask('POST', 'api/tasks', { title: 'From elsewhere' })
    await until(() => shown(tab), ['Buy stamps', 'From elsewhere'])
    held.release()
    await until(() => shown(tab), ['From elsewhere'])
  })

  test('is followed by another reading if something changed after it was made', async () => {
    const { ask, tab } = await openTab()
    const held = hold(tab, /api\/changes\?/, 'answer')
    const { id } = await ask('POST', 'api/tasks', { title: 'First' })
    await until(() => held.isThere)
    await ask('PATCH', `api/tasks/${id}`, { title: 'Second' })
    await pass(1000)
    held.release()
    await until(() => shown(tab), ['Second'])
  })
})

test('what was deleted here and elsewhere is shown again once it is restored elsewhere', async () => {
  const { key, ask } = stranger()
  const device = openDevice([key])
  const tab = await device.openTab()
  const { id } = await ask('POST', 'api/tasks', { title: 'Buy stamps' })
  await until(() => shown(tab), ['Buy stamps'])
  const held = hold(tab, /tasks\/batch/)
  tab.app.deleteTasks(tab.workspace, [...tab.workspace.copy.shown.task.peek().values()])
  await until(() => held.isThere)
  const { revision } = await ask('DELETE', `api/tasks/${id}`).then(() => ask('GET', `api/tasks/${id}`))
  await until(() => tab.workspace.copy.revisionOf('task', id), revision)
  held.release()
  await device.untilKept(0)
  await ask('POST', `api/tasks/${id}/restore`)
  await until(() => shown(tab), ['Buy stamps'])
})

describe('what waits', () => {
  const BATCH = /tasks\/batch/
  async function openWaiting(answer: Route) {
    const { key, listTitles } = stranger()
    const tab = await openDevice([key]).openTab()
    const unroute = tab.route(BATCH, answer)
    add(tab, 'Buy stamps')
    await tab.untilWaiting()
    const { state } = tab.workspace.outbox
    return { tab, state, unroute, listTitles }
  }
  const fail: Route = async () =>
    Response.json({ code: 'storage_full', detail: 'The disk of this server is nearly full.' }, { status: 507 })

  test('for a server that fails says what the server says of it, and goes by itself', async () => {
    const { state, unroute, listTitles } = await openWaiting(fail)
    expect(state.peek()).toMatchObject({ why: 'fault', message: 'The disk of this server is nearly full.' })
    unroute()
    await until(() => listTitles('api/tasks'), ['Buy stamps'])
    expect(state.peek()).toEqual({ is: 'idle' })
  })

  test('for a server that cannot be reached says nothing of a fault', async () => {
    const { state } = await openWaiting(lost)
    expect(state.peek()).toMatchObject({ why: 'offline' })
  })

  test('for the next hour goes at once when an answer shows that there are requests again', async () => {
    const refuse: Route = async () =>
      Response.json(
        { code: 'rate_limit_exceeded', detail: 'The limit of this hour is used up.' },
        { status: 429, headers: { 'Retry-After': '1800' } },
      )
    const { tab, state, unroute, listTitles } = await openWaiting(refuse)
    expect(state.peek()).toMatchObject({ why: 'limit' })
    unroute()
    const asked = tab.countSent(BATCH)
    await tab.workspace.api.call({ path: 'api/usage' })
    await until(() => listTitles('api/tasks'), ['Buy stamps'])
    expect(tab.countSent(BATCH)).toBe(asked + 1)
  })
})

test('the hour is used up in the middle of a sync: the rest waits, nobody is asked until then, and all arrives', async () => {
  await using limited = await makeWorld({ settings: { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '60' } })
  const { openDevice, stranger, until, pass, clock, closeAll, url } = makeDevices(limited)
  const { key, ask, listTitles } = stranger()
  const device = openDevice([key])
  const tab = await device.openTab()
  const { app, workspace } = tab
  await until(() => tab.countSent(STREAM), 1)
  const addNote = (title: string) =>
    workspace.outbox.add([app.noteWrite({ op: 'create', id: app.newId(), data: { title, body: `Text of ${title}.` } })])
  device.setOnline(false)
  // Types alternate: each is a batch.
  const names = ['1', '2', '3', '4']
  for (const [place, name] of names.entries()) {
    add(tab, `Task ${name}`)
    await tab.untilWaiting(2 * place + 1)
    await addNote(`Note ${name}`)
    await tab.untilWaiting(2 * place + 2)
  }
  // One is left for the feed, one for the stream, three for batches.
  for (let left = 60; left > 5; ) {
    const { headers } = await fetch(`${url}api/workspace/settings`, { headers: { 'X-API-Key': key } })
    left = Number(headers.get('X-RateLimit-Remaining'))
  }
  const over = (Math.floor(clock.now / HOUR_MS) + 1) * HOUR_MS
  device.setOnline(true)
  const { state, waiting } = workspace.outbox
  await until(() => state.peek().is === 'waiting')
  expect([state.peek(), waiting.peek()]).toMatchObject([{ why: 'limit', until: over }, 5])
  const asked = tab.countSent(/./)
  await addNote('Meanwhile')
  await until(() => waiting.peek(), 6)
  await pass((over - clock.now) * 0.9)
  expect(tab.countSent(/./)).toBe(asked)
  await pass(over - clock.now + 5000)
  await device.untilKept(0)
  expect(await listTitles('api/tasks')).toEqual(names.map((name) => `Task ${name}`))
  expect(await listTitles('api/notes')).toEqual(['Meanwhile', ...names.map((name) => `Note ${name}`)])
  const { items } = await ask('GET', 'api/notes?include=body')
  for (const { title, body } of items) expect(body).toBe(`Text of ${title}.`)
  await pass(120_000)
  await ask('POST', 'api/tasks', { title: 'From elsewhere' })
  await until(() => shown(tab).includes('From elsewhere'))
  closeAll()
})
