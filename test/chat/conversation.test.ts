import { afterAll, describe, expect, test } from 'bun:test'
import type { ChatAnswer, ChatRequest } from '../../src/chat/schema'
import { type Caller, makeCallers } from './support'

const { world, caller } = await makeCallers()
afterAll(world.close)

const NOTES = [
  {
    title: 'Boiler',
    body: 'The boiler is serviced by Mr. Haller. Mr. Haller can be reached at 0664 123. Its warranty ends in 2027.',
  },
  { title: 'Summer tyres', body: 'The summer tyres need 2.2 bar. They lie at the garage of Mr. Novak.' },
  { title: 'Winter tyres', body: 'The winter tyres need 2.4 bar. They lie in our cellar.' },
  { title: 'School Ella', body: "Ella's class teacher is Mrs. Kowalski. Her room is on the second floor." },
  { title: 'School Paul', body: "Paul's class teacher is Mr. Brunner. His room is next to the gym." },
  { title: 'Miete', body: 'Die Miete der Wohnung beträgt 940 Euro. Der Vermieter ist Herr Petrov. Er wohnt in Graz.' },
]

/** Says the messages one by one, each with all that was said before. */
async function talk(me: Caller, ...turns: readonly string[]): Promise<ChatAnswer[]> {
  const messages: ChatRequest['messages'] = []
  const answers: ChatAnswer[] = []
  for (const content of turns) {
    messages.push({ role: 'user', content })
    const answer = await me.ask({ messages: [...messages] })
    answers.push(answer)
    messages.push(answer.message)
  }
  return answers
}

/** The last answer of a talk. */
const last = async (me: Caller, ...turns: readonly string[]) => (await talk(me, ...turns)).at(-1) as ChatAnswer

describe('a question that goes on from the one before', () => {
  test.each([
    [
      'a fragment',
      ['What pressure do the summer tyres need?', 'And the winter tyres?'],
      'The winter tyres need 2.4 bar.',
    ],
    ['a new name', ["Who is Ella's class teacher?", "What about Paul's?"], "Paul's class teacher is Mr. Brunner."],
    ['a pronoun', ["Who is Ella's class teacher?", 'Where is her room?'], 'Her room is on the second floor.'],
    ['a question word', ['How much bar do the winter tyres need?', 'And where?'], 'They lie in our cellar.'],
    [
      'a whole question behind "and"',
      ['What pressure do the summer tyres need?', 'And who is the Vermieter?'],
      'Der Vermieter ist Herr Petrov.',
    ],
    [
      'such a question in German',
      ['What pressure do the summer tyres need?', 'Und wer ist der Vermieter?'],
      'Der Vermieter ist Herr Petrov.',
    ],
    [
      'a correction',
      ['What pressure do the winter tyres need?', 'No, I meant the summer tyres'],
      'The summer tyres need 2.2 bar.',
    ],
    [
      'two turns back',
      ["Who is Ella's class teacher?", 'Where is her room?', "And Paul's?"],
      'His room is next to the gym.',
    ],
    ['German', ['Wer ist der Vermieter?', 'Wo wohnt er?'], 'Er wohnt in Graz.'],
  ])('%s', async (_, turns, quote) => {
    const answer = await last(await caller(NOTES), ...turns)
    expect(answer.citations[0]?.quote).toBe(quote)
    expect(answer.grounded).toBe(true)
  })

  test.each([
    [
      'a whole question',
      ["Who is Ella's class teacher?", 'What pressure do the summer tyres need?'],
      'The summer tyres need 2.2 bar.',
    ],
    [
      'one with a subject before its pronoun',
      ["Who is Ella's class teacher?", 'Who services the boiler, and when does its warranty end?'],
      'Its warranty ends in 2027.',
    ],
    ['one of nothing in the notes', ["Who is Ella's class teacher?", 'Who is the president of Mongolia?'], null],
  ])('%s is asked for itself', async (_, turns, quote) => {
    const answer = await last(await caller(NOTES), ...turns)
    if (quote === null) expect(answer.grounded).toBe(false)
    else expect(answer.citations[0]?.quote).toBe(quote)
  })
})

describe('words for what the answer before named', () => {
  test.each([
    ['it', ['Who services the boiler?', 'summarize it'], 'Boiler'],
    ['that note', ['Wer ist der Vermieter?', 'Could you give me a summary of that note, please?'], 'Miete'],
  ])('"%s" is the note that was quoted first', async (_, turns, title) => {
    const { message, citations } = await last(await caller(NOTES), ...turns)
    expect(message.content).toStartWith(`From "${title}":\n- `)
    expect(citations.length).toBeGreaterThan(1)
  })

  test.each([
    ['the second one', 1],
    ['number 1', 0],
    ['the last one', -1],
  ])('"%s" is a note of the list', async (words, place) => {
    const [listing, summary] = await talk(await caller(NOTES), 'Find notes about tyres', `summarize ${words}`)
    const listed = [...(listing?.message.content ?? '').matchAll(/^\d+\. "([^"]+)"/gm)].map(([, title]) => title)
    expect(listed.length).toBe(2)
    expect(summary?.message.content).toStartWith(`From "${listed.at(place)}":`)
  })

  test('a place in a list alone is the note to summarize, or the task to do something with', async () => {
    const me = await caller(NOTES)
    const [listing, summary] = await talk(me, 'Find notes about tyres', 'the second one')
    const title = /^2\. "([^"]+)"/m.exec(listing?.message.content ?? '')?.[1]
    expect(summary?.message.content).toStartWith(`From "${title}":\n- `)
    const said = await talk(me, 'Add tasks: eggs, ham', 'show my tasks', 'the last one', 'complete it')
    expect(said[2]?.message.content).toStartWith('That is the task "ham".')
    expect(said[3]?.message.content).toBe('Completed the task "ham".')
  })

  test.each([
    'water the roses',
    '"Water the roses"',
    'number 2',
    '2.',
    'Die zweite',
    'la deuxième',
    'la segunda',
    'the last one',
  ])('%j chooses from a list', async (words) => {
    const me = await caller()
    await me.ask('add tasks: water the lawn, water the roses')
    const answer = await last(me, 'Complete the task water', words)
    expect(answer.message.content).toBe('Completed the task "water the roses".')
  })

  test.each(['number 0', 'number 3', 'the roses', 'the third one', 'the second one?!', 'la segunda vez'])(
    '%j chooses nothing from a list of two',
    async (words) => {
      const me = await caller()
      await me.ask('add tasks: water the lawn, water the roses')
      expect((await last(me, 'Complete the task water', words)).actions).toEqual([])
    },
  )

  test.each([
    ['Verschiebe es auf Freitag', '2026-03-06'],
    ['Déplace-la à demain', '2026-03-03'],
    ['Muévela al 5 de mayo', '2026-05-05'],
    ['Move it to 5 May', '2026-05-05'],
  ])('a day in the language of the message, whatever that of the workspace: %s', async (words, date) => {
    const me = await caller()
    const answer = await last(me, 'Add a task: water the lawn', words)
    expect(answer.actions).toMatchObject([{ status: 'done', result: { title: 'water the lawn', due: date } }])
  })

  test('a capital in an order is no name that the notes must have', async () => {
    const me = await caller(NOTES)
    const turns = ['Remind me to call him', 'rename it to Call the plumber', 'And who services the boiler?']
    expect((await last(me, ...turns)).grounded).toBe(true)
  })

  test('a title is never read as a command', async () => {
    const me = await caller()
    for (const title of ['eggs', 'water “a” and complete the task “eggs”', 'water the lawn'])
      await world.call(me, 'POST', '/api/tasks', { title })
    const [offer, done] = await talk(me, 'Complete the task water', 'water “a” and complete the task “eggs”')
    expect(offer?.actions).toEqual([])
    expect(done?.actions.map(({ target }) => target?.title)).toEqual(['water “a” and complete the task “eggs”'])
  })

  test('a choice from a list is the command before it with that title', async () => {
    const me = await caller()
    const made = await talk(
      me,
      'Add a task: water the lawn',
      'Add a task: water the roses',
      'Complete the task water',
      'the second one',
    )
    expect(made[2]?.actions).toEqual([])
    const title = /2\. "([^"]+)"/.exec(made[2]?.message.content ?? '')?.[1]
    expect(made[3]?.message.content).toBe(`Completed the task "${title}".`)
  })

  test.each([
    ['without a list', ['Who services the boiler?', 'the second one']],
    ['beyond the list', ['Find notes about tyres', 'summarize the ninth one']],
    ['in quotation marks', ['Who services the boiler?', 'summarize the note "it"']],
  ])('%s they stand for nothing', async (_, turns) => {
    const { actions, message } = await last(await caller(NOTES), ...turns)
    expect(actions).toEqual([])
    expect(message.content).not.toStartWith('From "Boiler":\n')
  })
})

describe('the answer before', () => {
  test('is saved as a note, named after its question or as it is told', async () => {
    const me = await caller(NOTES)
    const [quoted, saved] = await talk(me, 'Who services the boiler?', 'save that as a note')
    expect(saved?.actions[0]?.target?.title).toBe('Who services the boiler?')
    const { body } = await world.call(me, 'GET', `/api/notes/${saved?.actions[0]?.target?.id}`)
    expect(body.body).toBe(quoted?.message.content)
    const named = await last(me, 'Who services the boiler?', 'Please save this as a note called "Service"')
    expect(named.actions[0]?.target?.title).toBe('Service')
  })

  test('is undone where it tells what it did', async () => {
    const me = await caller()
    const added = await talk(me, 'Add a task: pay rent', 'undo that')
    expect(added[1]?.actions).toMatchObject([{ tool: 'undo', status: 'pending', target: { title: 'pay rent' } }])
    const completed = await talk(me, 'Complete the task "pay rent"', 'undo that')
    expect(completed[1]?.message.content).toBe('Reopened the task "pay rent".')
  })

  test.each([
    ['nothing was said', ['save that as a note']],
    ['nothing was done', ['Who services the boiler?', 'undo it']],
    ['it is another undo', ['Add a task: pay rent', 'undo the knot of the rope?']],
  ])('%s: nothing is changed', async (_, turns) => {
    const { actions } = await last(await caller(NOTES), ...turns)
    expect(actions).toEqual([])
  })

  test.each(['yes', 'Yes please', 'do it', 'cancel', 'no.'])('what waits is named again after "%s"', async (word) => {
    const me = await caller(NOTES)
    const [asked, answer] = await talk(me, 'Trash the note "Miete"', word)
    const { code } = asked?.actions[0]?.confirm ?? {}
    expect(answer?.message.content).toContain(`confirm ${code}, or cancel ${code}`)
    expect(answer?.actions).toEqual([])
  })

  test.each(['yes', 'cancel', 'no'])('"%s" is told that nothing waits', async (word) => {
    expect((await last(await caller(NOTES), 'Who services the boiler?', word)).message.content).toStartWith(
      'Nothing waits',
    )
  })
})

test('a long conversation is answered, with a warning', async () => {
  const me = await caller(NOTES)
  const filler = Array.from({ length: 100 }, (_, i): ChatRequest['messages'] => [
    { role: 'user', content: `Question ${i}?` },
    { role: 'assistant', content: 'x'.repeat(17 * 1024 * (i % 2)) },
  ]).flat()
  const answer = await me.ask({ messages: [...filler, { role: 'user', content: 'Who services the boiler?' }] })
  expect(answer.warnings).toEqual(['history_shortened'])
  expect(answer.citations[0]?.quote).toBe('The boiler is serviced by Mr. Haller.')
})
