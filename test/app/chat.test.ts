/** What the app's chat makes of the server's stream, and what it sends of a conversation. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addLine,
  doubtInWords,
  EMPTY_ANSWER,
  ownText,
  type StreamedAnswer,
  shownCitations,
  textParts,
  warningsInWords,
  wasOnlyRead,
} from '../../app/chat/answer'
import { toMessages } from '../../app/chat/history'
import { suggestions } from '../../app/chat/suggestions'
import type { Turn } from '../../app/chat/turns'
import { readParts } from '../../app/data/read-parts'
import { READ_ONLY } from '../../src/chat/engine'

const utf8 = new TextEncoder()

test('lines of a stream are the same however its bytes are cut, but for the last one that does not end', async () => {
  const line = fc.oneof(
    fc.json(),
    fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\u2028 \u2029 \u0085"', '"👩‍👩‍👧 é 漢"', '"\\n"', '{}'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), async (lines, cuts) => {
      const bytes = utf8.encode(`${lines.map((each) => `${each}\n`).join('')}"ä`)
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
      const stream = new ReadableStream({
        start(controller) {
          for (const [i, end] of places.slice(1).entries()) controller.enqueue(bytes.subarray(places[i], end))
          controller.close()
        },
      })
      expect(await Array.fromAsync(readParts(new Response(stream), '\n'))).toEqual(lines)
    }),
  )
})

const delta = (content: string, more: object = {}) =>
  JSON.stringify({ message: { role: 'assistant', content }, done: false, ...more })
const pending = { n: 1, status: 'pending', summary: 'Move', confirm: { token: 't', code: '4tcym1', expires_at: '' } }
const answerOf = (...lines: string[]) => lines.reduce(addLine, EMPTY_ANSWER)

describe('an answer', () => {
  test('adds up from its lines, and takes the last one as it is', () => {
    const citation = { n: 1, cited: true }
    const end = {
      done: true,
      message: { content: '' },
      engine: 'local',
      grounded: true,
      confidence: 1,
      warnings: [],
      done_reason: 'stop',
      citations: [citation],
      actions: [],
      undo: null,
    }
    const parts = answerOf(delta('The war'), delta('ranty [1]'), delta('', { event: 'citation', citation }))
    expect(parts).toMatchObject({ text: 'The warranty [1]', citations: [citation], end: null })
    expect(addLine(parts, JSON.stringify(end))).toMatchObject({
      text: 'The warranty [1]',
      citations: [citation],
      end: { grounded: true },
    })
  })

  test('that breaks off says why, with what was done', () => {
    const line = JSON.stringify({
      code: 'upstream_failed',
      detail: 'The model failed.',
      actions: [{ n: 1 }],
      undo: { next: [] },
    })
    expect(answerOf(delta('So far'), line)).toMatchObject({
      text: 'So far',
      fault: 'The model failed.',
      actions: [{ n: 1 }],
      undo: { next: [] },
    })
  })

  test.each([
    ['a question', ['Shall I move it?', ' Reply: confirm 4tcym1'], 'Shall I move it?'],
    ['a change', ['Shall I?', '\n\nNow:\n> a\nReply: confirm 4tcym1'], 'Shall I?'],
    ['a text in pieces', ['Shall', ' I?', ' Reply: confirm 4tcym1'], 'Shall I?'],
    // These are text of their own.
    ['another code', ['Shall I?', ' Reply: confirm 4zzzzz'], 'Shall I? Reply: confirm 4zzzzz'],
    ['a text that is nothing else', ['Reply: confirm 4tcym1'], 'Reply: confirm 4tcym1'],
    ['the code alone', ['The code', ' is 4tcym1'], 'The code is 4tcym1'],
  ])('leaves the words to confirm by to the buttons: %s', (_, pieces, shown) => {
    const answer = answerOf(delta('', { event: 'action', action: pending }), ...pieces.map((piece) => delta(piece)))
    expect(ownText(answer)).toBe(shown)
    expect(answer.text).toBe(pieces.join(''))
  })

  test('that might only read says so to a person, and can be asked again', () => {
    const answer = answerOf(delta('Due today: none.\n'), delta(READ_ONLY.en))
    expect(ownText(answer)).toBe('Due today: none.\nThis question may only read, so nothing was changed.')
    expect([wasOnlyRead(answer), wasOnlyRead(answerOf(delta('', { action: { status: 'denied' } })))]).toEqual([
      true,
      true,
    ])
    expect([wasOnlyRead(EMPTY_ANSWER), wasOnlyRead(answerOf(delta('Hello.', { action: pending })))]).toEqual([
      false,
      false,
    ])
  })

  test('splits its text at the marks that have a citation', () => {
    const [one, ten] = [{ n: 1 }, { n: 10 }] as never[]
    expect(textParts('A [1] b[10]. [2] [x] [1', [one, ten] as never)).toEqual([
      'A ',
      one,
      ' b',
      ten,
      '. ',
      '[2]',
      ' [x] [1',
    ] as never)
    expect(textParts('[1]', [])).toEqual(['[1]'])
    expect(textParts('', [one] as never)).toEqual([])
  })

  test('shows the citations of its text, or what was read', () => {
    const [cited, read] = [
      { n: 1, cited: true },
      { n: 2, cited: false },
    ] as never[]
    expect(shownCitations([cited, read] as never)).toEqual([cited] as never)
    expect(shownCitations([read] as never)).toEqual([read] as never)
  })
})

describe('a doubt about an answer', () => {
  const ended = (end: object, more: object = {}) =>
    ({
      ...EMPTY_ANSWER,
      end: { engine: 'local', grounded: false, confidence: null, warnings: [], done_reason: 'stop', ...end },
      ...more,
    }) as StreamedAnswer
  const quoted = { citations: [{ n: 1 }] }
  const model = { engine: 'upstream' }
  test.each([
    ['a model that cites nothing', ended(model), /Nothing that you have stored/],
    ['a model that read something and cites nothing', ended(model, quoted), /cites none/],
    ['a model whose answer was cut off', ended({ ...model, done_reason: 'length' }), /Nothing/],
  ])('is told of %s', (_, answer, words) => {
    expect(doubtInWords(answer)).toMatch(words)
  })
  test.each([
    ['an answer with a source', ended({ ...model, grounded: true }, quoted)],
    ['what was done', ended(model, { actions: [{ n: 1 }] })],
    ['an answer that has not ended', EMPTY_ANSWER],
    ['the built-in engine, whose text says it', ended({ confidence: 0.1 }, quoted)],
  ])('is not told of %s', (_, answer) => {
    expect(doubtInWords(answer)).toBeNull()
  })
  test('warnings become sentences; those without one for people are left out', () => {
    const answer = ended({ warnings: ['history_shortened', 'ignored:think'], done_reason: 'length' })
    expect(warningsInWords(answer)).toHaveLength(2)
  })
})

describe('what is sent of a conversation', () => {
  const turn = (content: string, text: string) => ({ content, answer: { ...EMPTY_ANSWER, text } }) as Turn
  const next = turn('And now?', '')

  test('is the last turns in their order, and then the question', () => {
    expect(toMessages([turn('a', 'A'), turn('lost', ''), turn('b', 'B')], next).map(({ content }) => content)).toEqual([
      'a',
      'A',
      'b',
      'B',
      'And now?',
    ])
  })
  test('is what the server reads: 64 messages', () => {
    const messages = toMessages(
      Array.from({ length: 40 }, (_, i) => turn(`q${i}`, 'A')),
      next,
    )
    expect([messages.length, messages[0]?.content]).toEqual([63, 'q9'])
  })
  test('is what the server reads: 64 KiB of UTF-8', () => {
    const long = 'ä'.repeat(8 * 1024)
    const messages = toMessages([turn('1', long), turn('2', long), turn('3', long), turn('4', long)], next)
    expect(messages.map(({ content }) => content.slice(0, 1))).toEqual(['2', 'ä', '3', 'ä', '4', 'ä', 'A'])
  })
})

describe('suggestions', () => {
  const note = (title: string, updated_at: string, more: object = {}) => ({
    id: title,
    title,
    updated_at,
    tags: [],
    daily_date: null,
    archived_at: null,
    ...more,
  })
  const of = (notes: { id: string }[], tasks = 0) =>
    suggestions({
      shown: {
        note: { value: new Map(notes.map((each) => [each.id, each])) },
        task: { value: new Map(Array.from({ length: tasks }, (_, i) => [i, {}])) },
      },
    } as never)

  test('are made of the newest notes, their tags and the tasks', () => {
    expect(of([note('Old', '1'), note('House', '3', { tags: ['home'] }), note('Trip', '2')], 1)).toEqual([
      'Summarize the note "House"',
      'Summarize the note "Trip"',
      'Notes tagged home',
      'What is due this week?',
      'What changed this week?',
    ])
  })
  test('are none where nothing is stored', () => {
    expect(of([])).toEqual([])
  })
  test.each([['a "quote"'], ['x'.repeat(61)], ['rtl \u202e mark'], ['Untitled']])(
    'leave out a title that cannot be quoted: %s',
    (title) => {
      expect(of([note(title, '1')])).toEqual([])
    },
  )
  test.each([[{ daily_date: '2026-01-01' }], [{ archived_at: '2026-01-01T00:00:00Z' }]])(
    'leave out a note with %j',
    (more) => {
      expect(of([note('House', '1', more)])).toEqual([])
    },
  )
  test.each([['<b>bold</b>'], ['x'.repeat(60)], ["Anna's plan"]])('take a title as it is: %s', (title) => {
    expect(of([note(title, '1')])[0]).toBe(`Summarize the note "${title}"`)
  })
})
