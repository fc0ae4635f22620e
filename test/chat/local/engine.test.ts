import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../support/full'
import { makeTalk, WRITES } from './support'
import { HARMLESS, UTTERANCES } from './utterances'

const HOUSE =
  'The boiler warranty ends on 3 May 2027. The key of the boiler room hangs in the hall.\n\nAnn has a spare key.'
const { say } = makeTalk({
  notes: [
    { title: 'House', body: HOUSE },
    { title: 'Old plan', body: 'See [7] and\nmore of it.' },
    { title: 'Old plans', body: 'None.' },
  ],
  tasks: [
    { title: 'Pay rent', due: '2026-03-01' },
    { title: 'Water the plants', due: '2026-03-02T09:00' },
    { title: 'Water the lawn' },
    { title: 'Call Ann', done: true },
  ],
  drafts: [{ type: 'basic', front: 'Where is the key?', back: 'In the hall', text: null, pattern: 'question' }],
})
const { say: sayNowhere } = makeTalk({})

describe('tasks', () => {
  test('the words of a new task go to quick add as they are, and the answer says when it is due', async () => {
    const { text, calls } = await say('Remind me to call Ann tomorrow at 9am #Home !1')
    expect(calls).toEqual([{ tool: 'create_task', args: { text: 'call Ann tomorrow at 9am #Home !1' } }])
    expect(text).toBe('Did create_task, due 2026-03-03 at 09:00.')
  })

  test('a reminder of nothing is asked for, and nothing is written', async () => {
    const { text, calls } = await say('set a reminder')
    expect(calls).toEqual([])
    expect(text).toStartWith('What shall I remind you of?')
  })

  const changes: [text: string, args: object][] = [
    ['mark pay rent as done', { id: 'task-0', done: true }],
    ['check off "Pay rent"', { id: 'task-0', done: true }],
    ['cross watering plants off my to do list', { id: 'task-1', done: true }],
    ['reopen the task Call Ann', { id: 'task-3', done: false }],
    ['move the task pay rent to friday', { id: 'task-0', due: '2026-03-06' }],
    ['move the task pay rent to 5 May at 9am', { id: 'task-0', due: '2026-05-05T09:00' }],
    ['rename the task "Pay rent" to "Pay Ann"', { id: 'task-0', title: 'Pay Ann' }],
    ['set the priority of pay rent to high', { id: 'task-0', priority: 2 }],
  ]
  test.each(changes)('%j changes the one task that is meant', async (text, args) => {
    expect((await say(text)).calls.at(-1)).toEqual({ tool: 'update_task', args: { ...args } })
  })

  test('of several tasks that fit, a numbered list is shown and none is changed', async () => {
    const { text, calls } = await say('complete the task water')
    expect(calls.map(({ tool }) => tool)).toEqual(['list_tasks'])
    expect(text).toContain('1. "Water the plants"\n2. "Water the lawn"')
  })

  test('a name in quotation marks is the whole title', async () => {
    expect((await say('complete the task "Water"')).calls.map(({ tool }) => tool)).toEqual(['list_tasks'])
  })

  test('a day that nobody knows moves nothing', async () => {
    const { text, calls } = await say('move the task pay rent to the moon')
    expect(calls).toEqual([])
    expect(text).toContain('I do not know when "the moon" is')
    expect((await say('move the task pay rent to every monday')).calls).toEqual([])
  })

  test('all tasks at once are shown, and none is touched', async () => {
    const { text, calls } = await say('delete everything on my to do list')
    expect(calls.map(({ tool }) => tool)).toEqual(['list_tasks'])
    expect(text).toContain('one thing at a time')
    expect(text).toContain('"Pay rent"')
  })
})

describe('what is there', () => {
  test('the agenda counts, cites every task that it names, and counts the cards', async () => {
    const { text, sources, calls } = await say("what's on my agenda?")
    expect(calls.map(({ tool }) => tool)).toEqual(['list_tasks', 'list_tasks', 'list_tasks', 'list_due_cards'])
    expect(text).toContain(
      'Overdue: 3\n- "Pay rent", due 2026-03-01 [1]\n- "Water the plants", due 2026-03-02 at 09:00 [2]',
    )
    expect(text).toEndWith('Cards due: 7 (2 new, 1 learning, 4 to review).')
    expect(sources).toHaveLength(9)
  })

  test('the cards that come first are shown and cited', async () => {
    const { text, sources } = await say('which cards are due?')
    expect(text).toBe('Cards due: 7 (2 new, 1 learning, 4 to review).\n- "Capital of France?" [1]')
    expect(sources.map(({ id }) => id)).toEqual(['fact-0'])
  })

  test('whether something is on the list is answered by what is there', async () => {
    const { text } = await say('is watering the plants on my to do list?')
    expect(text).toStartWith('Open tasks with words of "watering the plants": 2\n- "Water the plants"')
    expect((await say('is skydiving on my to do list?')).text).toBe('Open tasks with words of "skydiving": none.')
  })

  test('a summary quotes sentences in their order, each with its mark', async () => {
    const { text, sources } = await say('Summarize the note "House"')
    expect(text).toBe(
      'From "House":\n- "The boiler warranty ends on 3 May 2027." [1]\n' +
        '- "The key of the boiler room hangs in the hall." [2]\n- "Ann has a spare key." [3]',
    )
    for (const { text: body, start, end } of sources) expect(HOUSE).toContain(body.slice(start, end))
  })

  test('text of a note cannot make a mark', async () => {
    expect((await say('find notes about plan')).text).toContain('See (7) and more of it.')
  })
})

describe('notes and cards', () => {
  test('a note is made with title, text and tags', async () => {
    expect((await say('make a note: meter reading 4711 #house')).calls).toEqual([
      { tool: 'create_note', args: { title: 'meter reading 4711', body: 'meter reading 4711', tags: ['house'] } },
    ])
  })

  test('a note is extended by its title', async () => {
    expect((await say('add "two eggs" to the note House')).calls.at(-1)).toEqual({
      tool: 'update_note',
      args: { id: 'note-0', append: 'two eggs' },
    })
  })

  test('the trash is asked about: how to confirm comes from the core', async () => {
    const { text, calls } = await say('trash the note "Old plan"')
    expect(calls.at(-1)).toEqual({ tool: 'trash_item', args: { type: 'note', id: 'note-1' } })
    expect(text).toBe('Shall I move "Old plan" to the trash?')
  })

  test('drafts are shown and not stored; told to, they are stored as they were drafted', async () => {
    const shown = await say('Make cards from the note "House"')
    expect(shown.text).toContain('none is stored:\n1. Where is the key? — In the hall')
    expect(shown.calls.map(({ tool }) => tool)).toEqual(['search', 'suggest_cards'])
    const stored = await say('Make cards from the note "House" and save them in the deck "Home"')
    expect(stored.calls.at(-1)).toEqual({
      tool: 'create_cards',
      args: { deck: 'Home', cards: [{ type: 'basic', front: 'Where is the key?', back: 'In the hall' }] },
    })
  })
})

describe('what it does not do', () => {
  test('asked to write or translate, it says what it is and what it can do', async () => {
    const { text, calls } = await say('Write me a poem about autumn')
    expect(text).toContain("Satchel's built-in rule-based engine")
    expect(text).toContain('I can\n- answer questions')
    expect(calls).toEqual([])
  })

  test('with mode read, no message of all calls a tool that writes, and a write is refused in words', async () => {
    for (const [text] of UTTERANCES) {
      const { calls } = await say(text, 'read')
      expect(calls.filter(({ tool }) => WRITES.includes(tool))).toEqual([])
    }
    expect((await say('Remind me to call Ann', 'read')).text).toStartWith('This request may only read')
  })

  test('harmless messages call no tool that writes', async () => {
    for (const text of HARMLESS)
      expect([text, (await say(text)).calls.filter(({ tool }) => WRITES.includes(tool))]).toEqual([text, []])
  })

  test('whoever has no notes is told how to begin', async () => {
    expect((await sayNowhere('hello')).text).toContain('has no notes yet')
    expect((await sayNowhere('When does the warranty end?')).text).toContain('has no notes yet')
  })

  test('no message throws, and every one is answered', async () => {
    const words = fc.constantFrom(...UTTERANCES.map(([text]) => text), '"', '\n', '\ud800', '(', '\\')
    const message = fc.array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 6 })), {
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(message, async (parts) => {
        expect((await say(parts.join(' '))).text).not.toBe('')
      }),
      { numRuns: runs(300) },
    )
  })
})
