import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_LINE_UNITS, readPieces, readServerEvents, splitLines } from '../../../src/chat/upstream/answer-stream'
import { CallMerger } from '../../../src/chat/upstream/calls'
import { VisibleText } from '../../../src/chat/upstream/step'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'

async function* stream(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

/** The bytes in pieces that end where the cuts say. */
function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 40 })
const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('data:', 'event:', ':', ' ', '\u2028', '🎒', 'ß'),
)
const line = fc.array(word, { maxLength: 4 }).map((words) => words.join('').replace(/[\r\n\ufeff]/g, ''))
const document = fc
  .array(
    fc.tuple(
      fc.oneof(
        line,
        line.map((value) => `data: ${value}`),
      ),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n'),
    ),
  )
  .map((parts) => parts.map((part) => part.join('')).join(''))

describe('any cut of the same bytes', () => {
  const expectSame = async <T>(read: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<T>) =>
    fc.assert(
      fc.asyncProperty(document, cuts, async (text, at) => {
        const bytes = Buffer.from(text)
        expect(await Array.fromAsync(read(stream(cutAt(bytes, at))))).toEqual(
          await Array.fromAsync(read(stream([bytes]))),
        )
      }),
      { numRuns: runs(300) },
    )

  test('gives the same lines, and they are those of the text', async () => {
    await expectSame(splitLines)
    await fc.assert(
      fc.asyncProperty(document, cuts, async (text, at) => {
        const expected = text.split(/\r\n|\r|\n/)
        if (expected.at(-1) === '') expected.pop()
        expect(await Array.fromAsync(splitLines(stream(cutAt(Buffer.from(text), at))))).toEqual(expected)
      }),
      { numRuns: runs(300) },
    )
  })

  test('gives the same events', () => expectSame(readServerEvents))

  test('gives the same answer', async () => {
    const content = fc.string({ unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        cuts,
        async (parts, end, at) => {
          const events = parts.map((part) => JSON.stringify({ choices: [{ delta: { content: part } }] }))
          const text = [...events, '[DONE]'].map((data) => `: ping${end}data: ${data}${end}${end}`).join('')
          const pieces = await Array.fromAsync(readPieces('text/event-stream', stream(cutAt(Buffer.from(text), at))))
          expect(pieces.map((piece) => piece.text)).toEqual(parts)
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test('takes the same thoughts out', () => {
    const tags = ['<think>', '</think>', '<thinking>', '</thinking>', '<tool_call>', '</tool_call>']
    const part = fc.constantFrom(...tags, '<', '</th', 'a', ' ', 'ink>')
    const read = (chunks: readonly string[]) => {
      const visible = new VisibleText(true)
      return chunks.map((chunk) => visible.push(chunk)).join('') + visible.end()
    }
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), cuts, (parts, at) => {
        const text = parts.join('')
        const pieces = cutAt(Buffer.from(text), at).map((piece) => Buffer.from(piece).toString())
        expect(read(pieces)).toBe(read([text]))
        expect(read([text])).not.toMatch(/<(think|tool_call)>/)
      }),
      { numRuns: runs(500) },
    )
  })

  test('gives the same arguments of a call', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), cuts, (args, at) => {
        const text = JSON.stringify(args)
        const merger = new CallMerger()
        const ends = [...at.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        ends.forEach((end, i) => {
          const piece = text.slice(ends[i - 1] ?? 0, end)
          merger.add([
            { index: 0, id: i === 0 ? 'a' : '', name: i === 0 ? 'search' : '', arguments: piece, others: {} },
          ])
        })
        expect(merger.finish(1)).toEqual([{ id: 'a', name: 'search', arguments: text, others: {} }])
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('Server-Sent Events', () => {
  test.each<[string, string, object[]]>([
    ['one space after the colon is dropped, another is not', 'data:  x\n\n', [{ name: '', data: ' x' }]],
    ['lines of data are joined', 'data: a\ndata\ndata:b\n\n', [{ name: '', data: 'a\n\nb' }]],
    ['an event without data is none', 'event: ping\n\n: x\n\ndata: a\n\n', [{ name: '', data: 'a' }]],
    [
      'the name is that of its event alone',
      'event: error\ndata: a\n\ndata: b\n\n',
      [
        { name: 'error', data: 'a' },
        { name: '', data: 'b' },
      ],
    ],
    ['a byte-order mark is no part of the first line', '\ufeffdata: a\n\n', [{ name: '', data: 'a' }]],
    ['the end of the stream ends the last event', 'data: a', [{ name: '', data: 'a' }]],
  ])('%s', async (_, text, events) => {
    expect(await Array.fromAsync<object>(readServerEvents(stream([text])))).toEqual(events)
  })
})

describe('limits', () => {
  test('a line of 1 MiB is read, one character more is not', async () => {
    const text = 'x'.repeat(MAX_LINE_UNITS)
    expect(await Array.fromAsync(splitLines(stream([text, '\n', 'y'])))).toEqual([text, 'y'])
    await expect(Array.fromAsync(splitLines(stream([text, 'x\n'])))).rejects.toThrow('a line is over 1 MiB')
  })

  test('a long line in small pieces costs in proportion to its length', async () => {
    const chunks = Array<string>(16_384).fill('x'.repeat(64))
    expect(await cost(250, () => Array.fromAsync(splitLines(stream(chunks))))).toBeLessThan(250)
  })
})
