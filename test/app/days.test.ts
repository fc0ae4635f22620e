/** What is added to the note of a day, and cards that quick add makes: each is there once, whatever becomes of a request. */
import { afterAll, describe, expect, test } from 'bun:test'
import { type Ask, loseAnswer, loseAnswers, lost, makeDevices, refuseForHour, type Tab } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, clock } = makeDevices(world)

const DAY = '2026-03-02'
const NEXT_DAY = '2026-03-03'
const EDITS = /notes\/daily\/[^/]*\/edits/

/** A device with a tab that shows a note of the day, unless `body` is empty. */
async function openDay(body = 'Slept well.') {
  const { key, ask } = stranger()
  if (body) await ask('PUT', `api/notes/daily/${DAY}`, { body })
  const device = openDevice([key])
  const tab = await device.openTab()
  await until(() => tab.workspace.sync.state.peek().is === 'current')
  return { key, ask, device, tab }
}
const add = ({ app, workspace }: Tab, ...lines: string[]) => {
  for (const line of lines) app.addDailyLine(workspace, DAY, line)
}
/** The text of the notes of a day that the server has: of one, or of none. */
async function bodiesOf(ask: Ask, date = DAY): Promise<string[]> {
  const { items } = await ask('GET', 'api/notes?include=body&limit=200')
  return items
    .filter((note: { daily_date: string }) => note.daily_date === date)
    .map(({ body }: { body: string }) => body)
}
const untilServerHas = (ask: Ask, lines: readonly string[], date = DAY) =>
  until(() => bodiesOf(ask, date), [lines.join('\n\n')])
/** What Today shows of the note of the day: its beginning on one line, then what waits. */
function shown({ app, workspace: { copy } }: Tab): string {
  const lines = copy.lines.peek().map(({ op }) => op.content)
  return [app.findDailyNote(copy, DAY)?.excerpt, ...lines].filter(Boolean).join(' ')
}

describe('an answer that is lost', () => {
  test('adds nothing twice, also when another device was faster than the repeat', async () => {
    const { ask, tab } = await openDay()
    const goOn = loseAnswers(tab, EDITS)
    add(tab, 'Called Ana')
    await tab.untilWaiting()
    expect(shown(tab)).toBe('Slept well. Called Ana')
    const edits = [{ op: 'append', target: { document: true }, content: 'Elsewhere', join: 'block' }]
    await ask('POST', `api/notes/daily/${DAY}/edits`, { edits })
    goOn()
    await until(() => shown(tab), 'Slept well. Called Ana Elsewhere')
    await untilServerHas(ask, ['Slept well.', 'Called Ana', 'Elsewhere'])
  })

  test('does not bring back a note that went to the trash meanwhile', async () => {
    const { ask, device, tab } = await openDay()
    const goOn = loseAnswers(tab, EDITS)
    add(tab, 'Called Ana')
    await tab.untilWaiting()
    const [{ id }] = (await ask('GET', 'api/notes')).items
    await ask('DELETE', `api/notes/${id}`)
    await until(() => shown(tab), 'Called Ana')
    goOn()
    await device.untilKept(0)
    await until(() => shown(tab), '')
    expect(await bodiesOf(ask)).toEqual([])
  })

  test('adds nothing twice after the server has forgotten the request, and what never arrived once', async () => {
    const { ask, device, tab } = await openDay()
    const goOn = loseAnswers(tab, EDITS)
    add(tab, 'Called Ana')
    await tab.untilWaiting()
    add(tab, 'Called Rui')
    await tab.untilWaiting(2)
    clock.now += 25 * 3_600_000
    goOn()
    await device.untilKept(0)
    await untilServerHas(ask, ['Slept well.', 'Called Ana', 'Called Rui'])
    expect(shown(tab)).toBe('Slept well. Called Ana Called Rui')
  })
})

test('lines wait while the requests of the hour are used up, and while a network answers with a page of its own', async () => {
  const { ask, tab } = await openDay()
  tab.route(EDITS, async () => new Response('<p>Sign in</p>', { headers: { 'Content-Type': 'text/html' } }), 1)
  tab.route(EDITS, refuseForHour, 1)
  add(tab, 'Called Ana')
  await tab.untilWaiting()
  expect(tab.workspace.outbox.state.peek()).toMatchObject({ why: 'limit' })
  await tab.workspace.outbox.tryNow()
  expect(tab.workspace.outbox.state.peek()).toMatchObject({ is: 'waiting', why: 'offline' })
  expect(shown(tab)).toBe('Slept well. Called Ana')
  await untilServerHas(ask, ['Slept well.', 'Called Ana'])
})

test('undo takes back what was not sent, what was sent last, and nothing else', async () => {
  const { ask, device, tab } = await openDay()
  device.setOnline(false)
  add(tab, 'Called Ana', 'Called Rui')
  await tab.workspace.undo()
  expect(shown(tab)).toBe('Slept well. Called Ana')
  device.setOnline(true)
  await untilServerHas(ask, ['Slept well.', 'Called Ana'])
  await device.untilKept(0)
  await tab.workspace.undo()
  await untilServerHas(ask, ['Slept well.'])
  add(tab, 'Later')
  await untilServerHas(ask, ['Slept well.', 'Later'])
  // As long as what was added, and a paragraph of its own.
  await ask('PUT', `api/notes/daily/${DAY}`, { body: 'Slept well.\n\nWater' })
  await until(() => shown(tab), 'Slept well. Water')
  await expect(tab.workspace.undo()).rejects.toThrow('The note of the day does not end with it.')
  expect(await bodiesOf(ask)).toEqual(['Slept well.\n\nWater'])
})

test('a line that the server refuses is given back', async () => {
  const { ask, tab } = await openDay()
  const problem = JSON.stringify({ status: 422, code: 'too_many_links', title: 'No', detail: 'Too many links.' })
  tab.route(EDITS, async () => new Response(problem, { status: 422 }), 1)
  add(tab, 'Called Ana')
  const { told } = tab.workspace.outbox.refused
  await until(() => told.peek().map(tab.app.typedText), ['Called Ana'])
  expect([told.peek()[0]?.refused, shown(tab)]).toEqual(['Too many links.', 'Slept well.'])
  add(tab, 'Called Rui')
  await untilServerHas(ask, ['Slept well.', 'Called Rui'])
})

test('two devices that add to a day without network come to have one note with all lines, once each', async () => {
  const { key, ask, device, tab } = await openDay('')
  const otherDevice = openDevice([key])
  const other = await otherDevice.openTab()
  for (const each of [device, otherDevice]) each.setOnline(false)
  add(tab, 'One', 'Both')
  add(other, 'Two', 'Both')
  otherDevice.setOnline(true)
  await untilServerHas(ask, ['Two', 'Both'])
  device.setOnline(true)
  await untilServerHas(ask, ['Two', 'Both', 'One', 'Both'])
  await until(() => [tab, other].map(shown), Array(2).fill('Two Both One Both'))
})

test('lines of a day are added to that day, though they are sent on the next', async () => {
  const { ask, device, tab } = await openDay('')
  device.setOnline(false)
  add(tab, 'Late')
  clock.now += 24 * 3_600_000
  tab.app.addDailyLine(tab.workspace, NEXT_DAY, 'Early')
  expect(shown(tab)).toBe('Late Early')
  device.setOnline(true)
  await untilServerHas(ask, ['Late'])
  await untilServerHas(ask, ['Early'], NEXT_DAY)
})

describe('cards', () => {
  /** A device with a tab that shows these decks, in the order of their names. */
  async function openDecks(...names: string[]) {
    const { key, ask } = stranger()
    for (const name of names) await ask('POST', 'api/flashcards/decks', { name })
    const device = openDevice([key])
    const tab = await device.openTab()
    const { deck } = tab.workspace.copy.shown
    await until(() => deck.peek().size, names.length)
    const decks = [...deck.peek().values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const fronts = async (): Promise<string[]> =>
      (await ask('GET', 'api/flashcards/facts?limit=200')).items.map(({ front }: { front: string }) => front).toSorted()
    const add = (line: string, at = 0) => tab.app.addCard(tab.workspace, line, decks[at] ?? null)
    return { ask, device, tab, decks, fronts, add }
  }

  test('that are added without network are kept for the next tab, and made once though an answer is lost', async () => {
    const { device, tab, fronts, add } = await openDecks('Capitals')
    const unroute = device.route(/./, lost)
    for (const line of ['Peru :: Lima', 'Chile :: Santiago', 'Peru :: Lima']) await add(line)
    await tab.untilWaiting(3)
    tab.close()
    const next = await device.openTab()
    await next.untilWaiting(3)
    expect(await fronts()).toEqual([])
    unroute()
    next.route(/facts\/batch/, loseAnswer, 1)
    next.sendAgain()
    await device.untilKept(0)
    expect([await fronts(), next.countSent(/facts\/batch/)]).toEqual([['Chile', 'Peru', 'Peru'], 2])
  })

  test('that were not sent are taken back by undo, and those that were', async () => {
    const { device, tab, fronts, add } = await openDecks('Capitals')
    device.setOnline(false)
    await add('Peru :: Lima')
    await add('Chile :: Santiago')
    await tab.untilWaiting(2)
    await tab.workspace.undo()
    device.setOnline(true)
    await until(fronts, ['Peru'])
    await device.untilKept(0)
    await tab.workspace.undo()
    expect(await fronts()).toEqual([])
  })

  test('whose deck is gone are given back, and the others are made', async () => {
    const { ask, device, tab, decks, fronts, add } = await openDecks('Capitals', 'Rivers')
    device.setOnline(false)
    await add('Peru :: Lima')
    await add('Lisbon :: Tagus', 1)
    await tab.untilWaiting(2)
    await ask('DELETE', `api/flashcards/decks/${decks[0]?.id}?permanent=true`)
    device.setOnline(true)
    await until(() => tab.workspace.outbox.refused.told.peek().map(tab.app.typedText), ['Peru :: Lima'])
    expect(await fronts()).toEqual(['Lisbon'])
  })
})
