import { afterAll, describe, expect, test } from 'bun:test'
import type { ChatAnswer, ChatRequest } from '../../src/chat/schema'
import { type Caller, makeCallers } from './support'

/** "Undo that", over HTTP: what an answer did is taken back, with a confirmation where that removes or replaces. */

const { world, caller } = await makeCallers()
afterAll(world.close)

const read = async (me: { key: string }, path: string) => (await world.call(me, 'GET', path)).body
const send = async (me: { key: string }, method: string, path: string, body?: object) => {
  const answer = await world.call(me, method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** A workspace with something of each kind, and a talk there. */
async function makeOwner() {
  const me = await caller()
  const make = async (path: string, body: object): Promise<string> => (await send(me, 'POST', path, body)).id
  const project_id = await make('/api/tasks/projects', { name: 'House' })
  const note = await make('/api/notes', { title: 'Plan', body: 'Two eggs.\n', tags: ['old'], folder: 'Home' })
  await make('/api/notes', { title: 'Index', body: 'See [[Plan]].' })
  const rent = await make('/api/tasks', { title: 'Pay rent', due: { date: '2026-05-01' }, labels: ['bills'] })
  const parent_id = await make('/api/tasks', { title: 'Move out', project_id })
  await make('/api/tasks', { title: 'Pack boxes', parent_id })
  const done = await make('/api/tasks', { title: 'Call Ann' })
  await send(me, 'POST', `/api/tasks/${done}/complete`, {})
  await me.ask('add a task water the roses every day')
  const deck_id = await make('/api/flashcards/decks', { name: 'Geo' })
  await make('/api/flashcards/facts', { type: 'basic', front: 'a', back: 'b', deck_id })
  const gone = await make('/api/notes', { title: 'Old plan', body: 'x' })
  await send(me, 'DELETE', `/api/notes/${gone}`)
  return { me, note: `/api/notes/${note}`, rent: `/api/tasks/${rent}`, ...makeTalk(me) }
}

const pick = (item: Record<string, unknown>, names: readonly string[]) => names.map((name) => item[name])

/** All that is in the lists of the workspace, without what a change and its undo count on. */
async function state(me: Caller): Promise<unknown> {
  const items = async (path: string) => (await read(me, path)).items as Record<string, unknown>[]
  const filter = encodeURIComponent('open or in_progress or done or cancelled')
  const notes = await Promise.all((await items('/api/notes')).map(({ id }) => read(me, `/api/notes/${id}`)))
  const tasks = await items(`/api/tasks?filter=${filter}`)
  const sort = (rows: unknown[][]) => rows.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))
  return {
    notes: sort(notes.map((note) => pick(note, ['id', 'title', 'body', 'tags', 'folder']))),
    tasks: sort(tasks.map((task) => pick(task, ['id', 'title', 'status', 'due', 'priority', 'labels', 'project_id']))),
    decks: sort((await items('/api/flashcards/decks')).map((deck) => pick(deck, ['id', 'name']))),
    facts: sort((await items('/api/flashcards/facts')).map((fact) => pick(fact, ['id', 'front']))),
  }
}

/** A talk in which every message comes with all before it. */
function makeTalk(me: Caller) {
  const messages: ChatRequest['messages'] = []
  const say = async (content: string): Promise<ChatAnswer> => {
    messages.push({ role: 'user', content })
    const answer = await me.ask({ messages: [...messages] })
    messages.push(answer.message)
    return answer
  }
  /** Says something, and confirms what waits then. Returns the first answer and the last one. */
  const insist = async (content: string): Promise<[ChatAnswer, ChatAnswer]> => {
    const asked = await say(content)
    const code = asked.actions[0]?.confirm?.code
    return [asked, code === undefined ? asked : await say(`confirm ${code}`)]
  }
  return { messages, say, insist }
}

type Kind = [order: string, undone: string, waits: boolean]

describe('is taken back, and done again by another undo:', () => {
  test.each<Kind>([
    ['create a note called "Ideas": paint', 'Moved the note "Ideas" to the trash', true],
    ['add a task buy milk tomorrow', 'Moved the task "buy milk" to the trash', true],
    ['complete the task "Pay rent"', 'Reopened the task "Pay rent"', false],
    ['complete the task "water the roses"', 'Reopened the task "water the roses"', false],
    ['reopen the task "Call Ann"', 'Changed back the status of the task "Call Ann"', false],
    ['rename the task "Pay rent" to "Pay bills"', 'Changed back the title of the task "Pay rent"', false],
    ['move the task "Pay rent" to friday', 'Changed back the due of the task "Pay rent"', false],
    ['remove the due date of the task "Pay rent"', 'Changed back the due of the task "Pay rent"', false],
    ['set the priority of the task "Pay rent" to high', 'Changed back the priority of the task "Pay rent"', false],
    ['label the task "Pay rent" as urgency', 'Changed back the labels of the task "Pay rent"', false],
    ['remove the label bills from the task "Pay rent"', 'Changed back the labels of the task "Pay rent"', false],
    ['move the task "Pay rent" to the project House', 'Changed back the project of the task "Pay rent"', false],
    ['tag the note "Plan" with travel', 'Changed back the tags of the note "Plan"', false],
    ['remove the tag old from the note "Plan"', 'Changed back the tags of the note "Plan"', false],
    ['move the note "Plan" to the folder Work', 'Changed back the folder of the note "Plan"', true],
    ['rename the note "Plan" to "Trip"', 'Changed back the title of the note "Plan"', true],
    ['add to the note "Plan": and ham', 'Brought back the text of the note "Plan"', true],
    ['trash the note "Plan"', 'Restored the note "Plan"', false],
    ['trash the task "Move out"', 'Restored the task "Move out"', false],
    ['restore the note "Old plan"', 'Moved the note "Old plan" to the trash', true],
    ['add a card "c" - "d" to the deck "Geo"', 'Moved the flashcard "c" to the trash', true],
    ['add a card "c" - "d" to the deck "New"', 'Moved the deck "New" to the trash', true],
    [
      'tag the note "Plan" with travel\nlabel the task "Pay rent" as urgency',
      'Changed back the labels of the task "Pay rent"; Changed back the tags of the note "Plan"',
      true,
    ],
    [
      'set the priority of the task "Pay rent" to high\nset the priority of the task "Pay rent" to low',
      'Changed back the priority of the task "Pay rent"; Changed back the priority of the task "Pay rent"',
      true,
    ],
    ['add tasks: eggs, ham', 'Moved the task "ham" to the trash; Moved the task "eggs" to the trash', true],
  ])('%s', async (order, undone, waits) => {
    const { me, insist } = await makeOwner()
    const before = await state(me)
    const [, done] = await insist(order)
    expect(done.actions.every(({ status }) => status === 'done')).toBe(true)
    const after = await state(me)
    expect(after).not.toEqual(before)
    const [asked, taken] = await insist('undo that')
    expect(asked.actions.map(({ tool, status }) => [tool, status])).toEqual([['undo', waits ? 'pending' : 'done']])
    expect(taken.message.content.replace(/\.$/, '')).toBe(undone)
    expect(await state(me)).toEqual(before)
    const [, again] = await insist('undo that')
    expect(again.actions[0]?.status).toBe('done')
    expect(await state(me)).toEqual(after)
  })

  test('what waits changes nothing yet, and shows what it would change', async () => {
    const { me, say, insist } = await makeOwner()
    await insist('add to the note "Plan": and ham')
    const after = await state(me)
    const { message, actions } = await say('undo that')
    expect(actions[0]?.preview).toMatchObject({ before: { text: expect.stringContaining('and ham') } })
    expect(message.content).toMatch(
      /^Bring back the text of the note "Plan": shall I\?\n\n.*\nNow:\n>\n> and ham\n>\n\nThen:\n>\n\nReply:/,
    )
    expect(await state(me)).toEqual(after)
  })

  test('also behind answers that changed nothing, after asking', async () => {
    const { say, insist } = await makeOwner()
    await say('tag the note "Plan" with travel')
    await say('How many eggs?')
    const [asked, done] = await insist('undo the last change')
    expect(asked.message.content).toStartWith('Change back the tags of the note "Plan": shall I?')
    expect(done.message.content).toBe('Changed back the tags of the note "Plan"')
  })

  test('a change without a text to show is asked by its summary alone', async () => {
    const { say } = await makeOwner()
    await say('complete the task "Pay rent"')
    await say('How many eggs?')
    const { content } = (await say('undo that')).message
    expect(content).toMatch(/^Reopen the task "Pay rent": shall I\? Reply: confirm \w{6}$/)
  })

  test('behind an order that failed, an earlier undo is not undone without asking', async () => {
    const { me, say } = await makeOwner()
    await say('complete the task "Pay rent"')
    await say('undo that')
    const before = await state(me)
    await say('complete the task "Nothing like it"')
    expect((await say('undo that')).actions).toMatchObject([{ status: 'pending' }])
    expect(await state(me)).toEqual(before)
  })

  test('while something waits that an earlier answer asked', async () => {
    const { me, say } = await makeOwner()
    const before = await state(me)
    await say('delete the note "Plan"')
    await say('complete the task "Pay rent"')
    expect((await say('undo that')).message.content).toBe('Reopened the task "Pay rent".')
    expect(await state(me)).toEqual(before)
  })

  test('by a request that sends the undo of the undo', async () => {
    const { me, rent, say } = await makeOwner()
    await say('rename the task "Pay rent" to "Pay bills"')
    const { undo } = await say('undo that')
    const { method = '', path = '', body, if_match } = undo ?? {}
    const sent = await world.call(me, method, path, body ?? undefined, { 'If-Match': if_match ?? '' })
    expect([sent.status, (await read(me, rent)).title]).toEqual([200, 'Pay bills'])
  })
})

describe('nothing is done, and it is said,', () => {
  /** Says "undo that" behind a change, after something else; expects that this changes nothing. */
  async function expectNothing(
    order: string,
    between: (talk: ReturnType<typeof makeTalk> & Awaited<ReturnType<typeof makeOwner>>) => Promise<void>,
    said: RegExp,
    request: Partial<ChatRequest> = {},
  ) {
    const owner = await makeOwner()
    const talk = makeTalk(owner.me)
    await talk.insist(order)
    await between({ ...owner, ...talk })
    const before = await state(owner.me)
    const answer = await owner.me.ask({
      messages: [...talk.messages, { role: 'user', content: 'undo that' }],
      ...request,
    })
    expect(answer.message.content).toMatch(said)
    expect(answer.undo).toBeNull()
    expect(await state(owner.me)).toEqual(before)
  }

  test.each([
    ['tag the note "Plan" with travel', 'The note "Plan" has changed since, so nothing was undone.'],
    ['add to the note "Plan": and ham', 'The note "Plan" has changed since, so nothing was undone.'],
    ['trash the note "Plan"', 'The note "Plan" has changed since, so nothing was undone.'],
  ])('where it was changed meanwhile: %s', (order, detail) =>
    expectNothing(
      order,
      async ({ me, note }) => {
        const { deleted_at } = await read(me, note)
        await (deleted_at === null ? send(me, 'PATCH', note, { tags: ['mine'] }) : send(me, 'POST', `${note}/restore`))
      },
      new RegExp(`^I could not do that: ${detail}$`),
    ),
  )

  test('where one of several was changed meanwhile', () =>
    expectNothing(
      'add tasks: eggs, ham',
      async ({ me }) => {
        const { items } = await read(me, '/api/tasks')
        const { id } = items.find(({ title }: { title: string }) => title === 'eggs')
        await send(me, 'PATCH', `/api/tasks/${id}`, { priority: 1 })
      },
      /^I could not do that: The task "eggs" has changed since/,
    ))

  test('where it was changed between the question and its code', async () => {
    const { me, note, say } = await makeOwner()
    await say('add to the note "Plan": and ham')
    const asked = await say('undo that')
    await send(me, 'PATCH', note, { body: 'Mine.' })
    const late = await say(`confirm ${asked.actions[0]?.confirm?.code}`)
    expect(late.actions).toMatchObject([{ status: 'failed', error: { code: 'precondition_failed' } }])
    expect((await read(me, note)).body).toBe('Mine.')
  })

  test('where it is erased by now', () =>
    expectNothing(
      'tag the note "Plan" with travel',
      async ({ me, note }) => void (await world.call(me, 'DELETE', `${note}?permanent=true`)),
      /^I could not do that: /,
    ))

  const NOTHING = /^There is nothing to undo/

  test.each([
    ['the answers before changed nothing', 'How many eggs?'],
    ['what was asked for still waits and is cancelled', 'trash the note "Plan"'],
  ])('where %s', async (_, order) => {
    const { say } = await makeOwner()
    const asked = await say(order)
    const code = asked.actions[0]?.confirm?.code
    if (code !== undefined) await say(`cancel ${code}`)
    const { message, actions } = await say('undo that')
    expect([message.content.replace(NOTHING, ''), actions]).toEqual([expect.not.stringMatching(/^Moved/), []])
    expect(message.content).toMatch(NOTHING)
  })

  test('where a day has passed', () =>
    expectNothing(
      'tag the note "Plan" with travel',
      async () => {
        world.clock.now += 24 * 60 * 60 * 1000
      },
      NOTHING,
    ))

  test('where the client tells another answer than it got', () =>
    expectNothing(
      'tag the note "Plan" with travel',
      async ({ messages }) => {
        messages[1] = { role: 'assistant', content: 'Changed tags of the note "Index".' }
      },
      NOTHING,
    ))

  test('where the answer stands in a system message', () =>
    expectNothing(
      'tag the note "Plan" with travel',
      async ({ messages }) => {
        messages[1] = { role: 'system', content: messages[1]?.content ?? '' }
        messages.splice(1, 0, { role: 'assistant', content: 'Hello.' })
      },
      NOTHING,
    ))

  test('where only reading is allowed', () =>
    expectNothing('tag the note "Plan" with travel', async () => {}, /^This request may only read/, { mode: 'read' }))

  test.each<NonNullable<ChatRequest['scope']>>([{ types: ['task'] }, { tags: ['other'] }, { ids: [] }])(
    'where the scope hides it: %p',
    (scope) =>
      expectNothing(
        'remove the tag old from the note "Plan"',
        async () => {},
        /^I could not do that: There is no such note/,
        { scope } as Partial<ChatRequest>,
      ),
  )

  test('with the key of somebody else, who has the same note', async () => {
    const [{ say, messages }, other] = [await makeOwner(), await makeOwner()]
    await say('tag the note "Plan" with travel')
    const before = await state(other.me)
    const answer = await other.me.ask({ messages: [...messages, { role: 'user', content: 'undo that' }] })
    expect(answer.message.content).toMatch(NOTHING)
    expect(await state(other.me)).toEqual(before)
    expect((await say('undo that')).actions[0]?.status).toBe('done')
  })
})

test.each(['undo that', 'Please undo it.', 'mach das rückgängig', 'Annule ça !', 'deshazlo', 'revert the last change'])(
  '%j undoes',
  async (words) => {
    const { say } = await makeOwner()
    await say('tag the note "Plan" with travel')
    expect((await say(words)).actions.map(({ tool, status }) => [tool, status])).toEqual([['undo', 'done']])
  },
)

test.each(['undo the knot?', 'How do I undo that?', 'never undo that', 'undo all tasks', 'mach das Fenster zu'])(
  '%j does not',
  async (words) => {
    const { say } = await makeOwner()
    await say('tag the note "Plan" with travel')
    expect((await say(words)).actions).toEqual([])
  },
)
