/** What was typed in two places at once, and what waits until the server can take it. */
import { afterAll, describe, expect, test } from 'bun:test'
import { type Ask, hold, loseAnswer, loseAnswers, lost, makeDevices, refuseForHour, type Tab } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, pass, closeAll, clock } = makeDevices(world)

const PLAN = '01980000-0000-7000-8000-000000000001'
const BODY = 'Pack the bag.\n\nBuy a ticket.\n\nCall Ana.'
const BATCH = /\/batch/
const READ = new RegExp(`notes/${PLAN}$`)

type Session = Awaited<ReturnType<Tab['app']['editNote']>>

const changeElsewhere = (ask: Ask, from: string, to: string, body = BODY) =>
  ask('PATCH', `api/notes/${PLAN}`, { body: body.replace(from, to) })
/** The server has this text, and no second note. */
async function expectMerged(ask: Ask, whole: string): Promise<void> {
  await until(async () => (await ask('GET', `api/notes/${PLAN}`)).body, whole)
  expect((await ask('GET', 'api/notes')).items).toHaveLength(1)
}
const stateOf = ({ workspace }: Tab) => workspace.outbox.state.peek()
/** Why what is to be sent has waited from now on; another answer may end a wait at once. */
function collectReasons({ workspace }: Tab): string[] {
  const reasons: string[] = []
  workspace.outbox.state.subscribe((state) => void (state.is === 'waiting' && reasons.push(state.why)))
  return reasons
}
const untilShown = (notes: readonly Session[], words: string) =>
  until(() => notes.every(({ text }) => text.includes(words)))

/** Opens the note to edit it on a device, in one tab or several. */
async function openPlan(tabs = 1) {
  const { key, ...caller } = stranger()
  await caller.ask('POST', 'api/notes', { id: PLAN, title: 'Porto', body: BODY })
  const device = openDevice([key])
  const opened: { tab: Tab; note: Session }[] = []
  for (let count = 0; count < tabs; count++) {
    const tab = await device.openTab()
    await until(() => tab.workspace.copy.shown.note.peek().has(PLAN))
    opened.push({ tab, note: await tab.app.editNote(PLAN) })
  }
  const [first, second] = opened as [(typeof opened)[0], (typeof opened)[0]]
  return { ...caller, device, ...first, second, notes: opened.map(({ note }) => note) }
}

/** Types into the note without network, while another device changes it. */
async function changeBoth(from: string, to: string) {
  const opened = await openPlan()
  opened.device.setOnline(false)
  opened.note.typeInto('first line', ' The blue one.')
  await changeElsewhere(opened.ask, from, to)
  await opened.tab.untilWaiting()
  return opened
}

/** Two tabs without network, of which the second has typed on what the first typed. */
async function typeOnEachOther() {
  const opened = await openPlan(2)
  opened.device.setOnline(false)
  opened.note.typeInto('first line', ' The blue one.')
  await untilShown(opened.notes, 'The blue one.')
  opened.second.note.typeInto('first line', ' Not the red one.')
  await untilShown(opened.notes, 'Not the red one.')
  return opened
}

test('edits of two devices in different paragraphs are both in the note, also in the open editor', async () => {
  const { device, note, ask } = await changeBoth('Call Ana.', 'Call Ana and Rui.')
  device.setOnline(true)
  await untilShown([note], 'Call Ana and Rui.')
  note.typeInto('first line', ' Not the red one.')
  await expectMerged(ask, 'Pack the bag. The blue one. Not the red one.\n\nBuy a ticket.\n\nCall Ana and Rui.')
})

test('a change that the server has already does not hide the text that came with it there, nor lets it be overwritten', async () => {
  const { tab, note, ask, device } = await openPlan()
  device.setOnline(false)
  const [shown] = [...tab.workspace.copy.shown.note.peek().values()]
  if (shown) tab.app.pinNote(tab.workspace, shown)
  const changed = BODY.replace('Call Ana.', 'Call Ana and Rui.')
  await ask('PATCH', `api/notes/${PLAN}`, { pinned: true, body: changed })
  const held = hold(tab, /api\/changes/)
  device.setOnline(true)
  await until(() => tab.workspace.outbox.waiting.peek() === 0 && stateOf(tab).is === 'idle')
  note.typeInto('first line', ' The blue one.')
  held.release()
  await expectMerged(ask, changed.replace('bag.', 'bag. The blue one.'))
})

test('what is typed while the first edit cannot be sent is merged with it', async () => {
  const { tab, note, ask } = await openPlan()
  const unroute = tab.route(BATCH, lost)
  note.typeInto('first line', ' The blue one.')
  await changeElsewhere(ask, 'Call Ana.', 'Call Ana and Rui.')
  await tab.untilWaiting()
  // The first batch may have been sent: what is typed on becomes a write of its own.
  note.typeInto('first line', ' Typed on.')
  await tab.untilWaiting(2)
  unroute()
  await expectMerged(ask, 'Pack the bag. The blue one. Typed on.\n\nBuy a ticket.\n\nCall Ana and Rui.')
})

test('edits of two devices of the same line are both kept, each in a note, and the first can be opened again', async () => {
  const { device, tab, note, ask, listTitles } = await changeBoth('the bag.', 'the red bag.')
  device.setOnline(true)
  const [moved] = await until(
    () => tab.workspace.kept.peek(),
    ({ length }) => length > 0,
  )
  await device.untilKept(0)
  expect(await listTitles('api/notes')).toEqual(['Porto', 'Porto (conflicting copy)'])
  expect((await ask('GET', `api/notes/${PLAN}`)).body).toBe(BODY.replace('the bag.', 'the red bag.'))
  const typed = BODY.replace('bag.', 'bag. The blue one.')
  expect((await ask('GET', `api/notes/${moved?.copyId}`)).body).toBe(typed)
  // The editor is now on the note with what was typed; the first one is opened as it is.
  expect([note.id.peek(), note.text]).toEqual([moved?.copyId ?? '', typed])
  note.close()
  const again = await tab.app.editNote(PLAN)
  await pass(1000)
  expect([again.id.peek(), again.text]).toEqual([PLAN, BODY.replace('the bag.', 'the red bag.')])
})

test('what was typed, deleted and restored here is there, though the text was changed elsewhere', async () => {
  const { device, tab, listTitles } = await changeBoth('the bag.', 'the red bag.')
  const [note] = [...tab.workspace.copy.shown.note.peek().values()]
  if (note) tab.app.deleteNote(tab.workspace, note)
  await tab.workspace.undo()
  device.setOnline(true)
  await device.untilKept(0)
  const titles = [...tab.workspace.copy.shown.note.peek().values()].map(({ title }) => title).toSorted()
  expect([titles, await listTitles('api/notes')]).toEqual(Array(2).fill(['Porto', 'Porto (conflicting copy)']))
})

test('a merged text is merged again if the note has changed since', async () => {
  const { device, tab, note, ask } = await changeBoth('Call Ana.', 'Call Ana and Rui.')
  const second = BODY.replace('Call Ana.', 'Call Ana and Rui.')
  tab.route(
    READ,
    async (pass) => {
      const answer = await pass()
      await changeElsewhere(ask, 'a ticket.', 'two tickets.', second)
      return answer
    },
    1,
  )
  device.setOnline(true)
  await expectMerged(ask, 'Pack the bag. The blue one.\n\nBuy two tickets.\n\nCall Ana and Rui.')
  await untilShown([note], 'two tickets')
  expect(tab.countSent(BATCH)).toBe(3)
})

test('what two tabs typed into one note without network is all in it', async () => {
  const { device, tab, note, second, notes, ask } = await openPlan(2)
  device.setOnline(false)
  note.typeInto('first line', ' The blue one.')
  second.note.typeInto('end', ' And Rui.')
  await Promise.all([tab.untilWaiting(), second.tab.untilWaiting()])
  device.setOnline(true)
  await expectMerged(ask, 'Pack the bag. The blue one.\n\nBuy a ticket.\n\nCall Ana. And Rui.')
  await untilShown(notes, 'And Rui')
  await untilShown(notes, 'The blue one')
})

test('what one tab types without network is shown by the other, which can type on in the same line', async () => {
  const { device, note, notes, ask } = await typeOnEachOther()
  note.typeInto('first line', ' Today.')
  await untilShown(notes, 'Today.')
  device.setOnline(true)
  const whole = BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.')
  await expectMerged(ask, whole)
  await device.untilKept(0)
  await expectMerged(ask, whole)
})

test('what two tabs typed on each other’s text is no conflict if the first sends all of its own before the other', async () => {
  const { device, note, second, notes, ask } = await typeOnEachOther()
  const held = hold(second.tab, BATCH)
  note.typeInto('first line', ' Today.')
  await untilShown(notes, 'Today.')
  device.setOnline(true)
  await device.untilKept(1)
  held.release()
  await device.untilKept(0)
  await untilShown(notes, 'Not the red one. Today.')
  await expectMerged(ask, BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.'))
})

test('what was typed on the text of a tab stays when that tab is closed', async () => {
  const { device, tab, second, ask } = await typeOnEachOther()
  await second.tab.untilWaiting()
  tab.close()
  device.setOnline(true)
  await expectMerged(ask, BODY.replace('bag.', 'bag. The blue one. Not the red one.'))
  await device.untilKept(0)
  await untilShown([second.note], 'The blue one. Not the red one.')
  await expectMerged(ask, BODY.replace('bag.', 'bag. The blue one. Not the red one.'))
})

test('what was typed on the text of another tab stays while that text is still on its way, and can be typed on', async () => {
  const { device, tab, second, notes, ask } = await typeOnEachOther()
  const held = hold(tab, BATCH)
  await second.tab.untilWaiting()
  device.setOnline(true)
  await device.untilKept(1)
  expect(second.note.text).toContain('The blue one. Not the red one.')
  second.note.typeInto('first line', ' Today.')
  await untilShown(notes, 'Today.')
  held.release()
  await device.untilKept(0)
  await untilShown(notes, 'The blue one. Not the red one. Today.')
  await expectMerged(ask, BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.'))
})

test('what is typed back while it is on its way is not shown again', async () => {
  const { device, tab, note, ask } = await openPlan()
  const [second, first] = [hold(tab, BATCH), hold(tab, BATCH)]
  note.typeInto('first line', '!')
  await until(() => first.isThere)
  note.type({ body: BODY })
  await device.untilKept(2)
  first.release()
  await until(() => second.isThere)
  expect(note.text).toBe(BODY)
  second.release()
  await device.untilKept(0)
  expect(note.text).toBe(BODY)
  await expectMerged(ask, BODY)
})

test('what is typed back is taken out of the note, though another device has changed its title', async () => {
  const { device, tab, note, ask } = await openPlan()
  note.typeInto('first line', '!')
  await expectMerged(ask, BODY.replace('bag.', 'bag.!'))
  await device.untilKept(0)
  device.setOnline(false)
  note.type({ body: BODY })
  await tab.untilWaiting()
  await ask('PATCH', `api/notes/${PLAN}`, { title: 'Lisbon' })
  device.setOnline(true)
  await device.untilKept(0)
  expect(note.text).toBe(BODY)
  await expectMerged(ask, BODY)
})

test('a tab opened without network shows what another has typed, and another device loses nothing', async () => {
  const { device, tab, note, ask } = await openPlan()
  const unroute = device.route(/./, lost)
  note.typeInto('first line', ' The blue one.')
  await tab.untilWaiting()
  const second = await device.openTab()
  const other = await second.app.editNote(PLAN)
  expect(other.text).toContain('The blue one.')
  other.typeInto('end', ' And Rui.')
  await second.untilWaiting()
  device.setOnline(false)
  unroute()
  await changeElsewhere(ask, 'a ticket', 'two tickets')
  device.setOnline(true)
  await expectMerged(ask, 'Pack the bag. The blue one.\n\nBuy two tickets.\n\nCall Ana. And Rui.')
})

test('in the middle of a sync the requests of the hour are used up: the rest waits, and arrives by itself', async () => {
  const { device, tab, note, ask, listTitles } = await openPlan()
  device.setOnline(false)
  note.typeInto('first line', ' The blue one.')
  await tab.untilWaiting()
  tab.app.addTask(tab.workspace, 'Buy stamps', null, null)
  await tab.untilWaiting(2)
  tab.route(/tasks\/batch/, refuseForHour, 1)
  const reasons = collectReasons(tab)
  device.setOnline(true)
  await until(() => reasons.includes('limit'))
  await expectMerged(ask, BODY.replace('bag.', 'bag. The blue one.'))
  await until(() => listTitles('api/tasks'), ['Buy stamps'])
  expect(tab.countSent(/tasks\/batch/)).toBe(1)
})

test('a note that cannot be read for the merge, as the hour is used up, is merged later', async () => {
  const { device, tab, note, ask } = await changeBoth('Call Ana.', 'Call Ana and Rui.')
  tab.route(READ, refuseForHour, 1)
  const reasons = collectReasons(tab)
  device.setOnline(true)
  await until(() => reasons.includes('limit'))
  await untilShown([note], 'Call Ana and Rui.')
  await expectMerged(ask, 'Pack the bag. The blue one.\n\nBuy a ticket.\n\nCall Ana and Rui.')
})

test('a batch whose answer is lost is not done twice', async () => {
  const { device, tab, note, ask } = await openPlan()
  const keys: (string | null)[] = []
  tab.route(BATCH, loseAnswer, 1)
  tab.route(BATCH, (pass, { headers }) => {
    keys.push(headers.get('Idempotency-Key'))
    return pass()
  })
  note.typeInto('first line', ' The blue one.')
  await tab.untilWaiting()
  await expectMerged(ask, BODY.replace('bag.', 'bag. The blue one.'))
  await device.untilKept(0)
  expect(keys).toEqual([keys[0] as string, keys[0] as string])
  expect(await ask('GET', `api/notes/${PLAN}`)).toMatchObject({ revision: 2 })
})

test('what is created and not answered for a day is there once, and no refusal is shown', async () => {
  const { tab, device, ask } = await openPlan()
  const { addTask, addCard } = tab.app
  await ask('POST', 'api/flashcards/decks', { name: 'Capitals' })
  const [deck] = await until(
    () => [...tab.workspace.copy.shown.deck.peek().values()],
    ({ length }) => length > 0,
  )
  const adds = [
    () => addTask(tab.workspace, 'Sweep', null, null),
    () => addCard(tab.workspace, 'Peru :: Lima', deck ?? null),
  ]
  for (const add of adds) {
    const goOn = loseAnswers(tab, BATCH)
    await add()
    await tab.untilWaiting()
    // The server has forgotten the key of the batch.
    clock.now += 25 * 3_600_000
    goOn()
    await device.untilKept(0)
  }
  expect(tab.workspace.outbox.refused.told.peek()).toEqual([])
  for (const path of ['api/tasks', 'api/flashcards/facts']) expect((await ask('GET', path)).items).toHaveLength(1)
})

test('what is typed into what was created here, and changed elsewhere before the answer came, is merged with that', async () => {
  const { key, ask } = stranger()
  const tab = await openDevice([key]).openTab()
  const { app } = tab
  app.begun.set(PLAN, { folder: null, tags: [] })
  const note = await app.editNote(PLAN)
  let goOn = loseAnswers(tab, BATCH)
  note.type({ title: 'Porto', body: BODY })
  await tab.untilWaiting()
  await changeElsewhere(ask, 'Call Ana.', 'Call Ana and Rui.')
  note.typeInto('first line', ' The blue one.')
  await tab.untilWaiting(2)
  goOn()
  await expectMerged(ask, BODY.replace('Call Ana.', 'Call Ana and Rui.').replace('bag.', 'bag. The blue one.'))
  note.close()

  goOn = loseAnswers(tab, BATCH)
  app.addTask(tab.workspace, 'Sweep', null, null)
  await tab.untilWaiting()
  const [task] = [...tab.workspace.copy.shown.task.peek().values()]
  await ask('PATCH', `api/tasks/${task?.id}`, { notes: 'With the dustpan.' })
  if (task) await tab.workspace.outbox.add([app.updateOf(tab.workspace, task, { notes: 'With a brush.' })])
  await tab.untilWaiting(2)
  goOn()
  const both = 'With a brush.\n\nWith the dustpan.'
  await until(async () => (await ask('GET', `api/tasks/${task?.id}`)).notes, both)
})

describe('a tab that is killed after any of the things that it stores leaves all to the next, once', () => {
  /** The server has these texts, whether the tab that `begin` opens is killed after 1, 2, 3 … of them or not at all. */
  async function expectAllAtEach(
    begin: () => Promise<Awaited<ReturnType<typeof openPlan>>>,
    bodies: readonly string[],
  ) {
    let [isGone, killed] = [true, 0]
    for (; isGone; killed++) {
      const { ask, device, tab } = await begin()
      tab.killAfter(killed + 1)
      device.setOnline(true)
      await until(() => tab.isGone() || tab.workspace.outbox.waiting.peek() === 0)
      await pass(1000)
      isGone = tab.isGone()
      tab.close()
      await device.openTab()
      await device.untilKept(0)
      const { items } = await ask('GET', 'api/notes?include=body')
      expect(items.map(({ body }: { body: string }) => body).toSorted()).toEqual([...bodies].toSorted())
      closeAll()
    }
    expect(killed).toBeGreaterThan(3)
  }
  const red = BODY.replace('the bag', 'the red bag')
  const blue = BODY.replace('bag.', 'bag. The blue one.')

  test('when both have changed a line', () => expectAllAtEach(() => changeBoth('the bag', 'the red bag'), [red, blue]))

  test('when both have changed the text', () =>
    expectAllAtEach(() => changeBoth('Ana.', 'Ana and Rui.'), [blue.replace('Ana.', 'Ana and Rui.')]))

  test('when it has typed on the text of a closed tab', () =>
    expectAllAtEach(async () => {
      const opened = await typeOnEachOther()
      await opened.second.tab.untilWaiting()
      opened.tab.close()
      // It takes over what the other has left before there is a network.
      await pass(0)
      return { ...opened, ...opened.second }
    }, [BODY.replace('bag.', 'bag. The blue one. Not the red one.')]))

  test('when it has typed on a text that is on its way', () =>
    expectAllAtEach(async () => {
      const opened = await openPlan()
      const held = hold(opened.tab, BATCH)
      opened.note.typeInto('first line', ' The blue one.')
      await until(() => held.isThere)
      opened.note.typeInto('first line', ' Not the red one.')
      await opened.device.untilKept(2)
      // It needs no merge, for which the note would be read.
      opened.device.route(READ, () => Promise.reject(new Error('The note is read')))
      held.release()
      return opened
    }, [BODY.replace('bag.', 'bag. The blue one. Not the red one.')]))
})
