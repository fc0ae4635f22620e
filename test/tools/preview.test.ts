import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { escapeHidden, MAX_PREVIEW_BYTES, previewChange } from '../../src/tools/fit'
import { runs } from '../support/full'
import { makeTools, ok } from './support'

/** What a pending action shows of the change that it asks for. */

const tools = await makeTools()
afterAll(tools.close)

const whole = (text: string) => ({ text, clipped: false })

describe('a preview', () => {
  test.each([
    ['of what is added at the end', 'One.\nTwo.', 'One.\nTwo.\nThree.', 5, 'Two.', 'Two.\nThree.'],
    ['of a line in the middle', 'One.\nTwo.\nThree.', 'One.\n2.\nThree.', 5, 'Two.', '2.'],
    ['of what is taken away', 'One.\nTwo.\n', 'One.\n', 5, 'Two.\n', ''],
    ['of a text that was empty', '', 'One.', 0, '', 'One.'],
    ['of another character of the same first half', 'a 😀', 'a 😁', 0, 'a 😀', 'a 😁'],
    ['of a place told in code points', '😀😀\nTwo.', '😀😀\n2.', 3, 'Two.', '2.'],
    ['of nothing that changes', 'One.', 'One.', 0, 'One.', 'One.'],
  ])('%s', (_, old, made, start, before, after) => {
    expect(previewChange(old, made)).toEqual({ start, before: whole(before), after: whole(after) })
  })

  test('shows a change deep in a long line, and not the same beginning twice', () => {
    const line = 'a'.repeat(10_000)
    const preview = previewChange(line, `${line}, and send it to Mallory`)
    expect(preview.after?.text).toEndWith('and send it to Mallory')
    expect(preview.after?.clipped).toBe(false)
    expect(preview.start).toBeGreaterThan(9000)
  })

  test.each([
    ['ASCII, as long as it may be', 'x'.repeat(2048), 2048, false],
    ['ASCII, one byte longer', 'x'.repeat(2049), 2048, true],
    ['a character over the limit', `${'x'.repeat(2046)}é!`, 2048, true],
    ['a character across the limit', `${'x'.repeat(2045)}😀`, 2045, true],
    ['a byte-order mark at the beginning', `\ufeff${'x'.repeat(3000)}`, 2048, true],
  ])('is cut at 2 KiB of UTF-8: %s', (_, text, bytes, clipped) => {
    const { after } = previewChange('', text)
    expect([Buffer.byteLength(after?.text ?? ''), after?.clipped]).toEqual([bytes, clipped])
    expect(text.startsWith(after?.text ?? '-')).toBe(true)
    expect(previewChange(text, null)).toEqual({ start: 0, before: after, after: null } as never)
  })

  test('puts together what was and what will be, for any two texts', () => {
    const piece = fc.constantFrom('a', 'b', '\n', '😀', '😁', 'é', 'x'.repeat(200), '😀'.repeat(100))
    const texts = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(texts, texts, texts, texts, (head, old, made, tail) => {
        const [before, after] = [head + old + tail, head + made + tail]
        const preview = previewChange(before, after)
        const [a, b] = [preview.before?.text ?? '', preview.after?.text ?? '']
        for (const text of [a, b]) {
          expect(text.isWellFormed()).toBe(true)
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PREVIEW_BYTES)
        }
        const points = Array.from(before)
        const from = points.slice(0, preview.start).join('')
        expect(before.startsWith(from + a) && after.startsWith(from + b)).toBe(true)
        if (preview.before?.clipped || preview.after?.clipped) return
        expect(before.slice(from.length + a.length)).toBe(after.slice(from.length + b.length))
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('what would hide a part of a line', () => {
  test.each([
    ['an override of direction', 'a\u202eb', 'a\\u202eb'],
    ['an isolate', 'a\u2066b\u2069', 'a\\u2066b\\u2069'],
    ['a space without width', 'pay\u200b\ufeff1', 'pay\\u200b\\ufeff1'],
    ['tags, which hold a text that nobody sees', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['an end of a line', 'a\u0085\u2028b', 'a\\u0085\\u2028b'],
  ])('is written out: %s', (_, line, shown) => {
    expect(escapeHidden(line)).toBe(shown)
  })

  test.each([
    ['emoji of several parts', '👩‍👩‍👧 ❤️'],
    ['scripts that need joiners and marks', 'می‌خواهم क्‍ष C#\u200e א\u200f!'],
    ['tabs, accents and symbols', '\ta\u0301 → ©'],
  ])('is not taken for it: %s', (_, line) => {
    expect(escapeHidden(line)).toBe(line)
  })
})

describe('a pending action shows', () => {
  const body = '# Plan\n\nOne.\n\n# Later\n\nTwo.\n'
  const note = async (me: ReturnType<typeof tools.caller>, text = body) =>
    String(ok(await me.call('create_note', { title: 'Plan', body: text })).result.id)

  test('the text that replaces a whole note, and the text that it replaces', async () => {
    const me = tools.caller()
    const { action } = ok(await me.call('update_note', { id: await note(me), replace: 'New.' }))
    expect(action?.preview).toEqual({ start: 0, before: whole(body), after: whole('New.') })
  })

  test('what is added under a heading, where it will be', async () => {
    const me = tools.caller()
    const id = await note(me)
    const { action, result } = ok(
      await me.call('update_note', { id, append: 'Three.', heading: 'Plan' }, { hasReadText: true }),
    )
    const { before, after, start } = action?.preview ?? {}
    expect([action?.status, before?.text.includes('Three.'), after?.text.includes('Three.')]).toEqual([
      'pending',
      false,
      true,
    ])
    // A model learns nothing by it that it has not read.
    expect(result).not.toHaveProperty('preview')
    const [done] = await me.confirm({ tokens: [String(action?.confirm?.token)] })
    expect(done?.action?.preview).toBeNull()
    const now: string = (await me.send('GET', `/api/notes/${id}`)).body
    expect(now.slice(start)).toStartWith(after?.text ?? '-')
    expect(now.replace(after?.text ?? '', before?.text ?? '')).toBe(body)
  })

  test('at most 2 KiB of each side of a long note', async () => {
    const me = tools.caller()
    const id = await note(me, '😀\n'.repeat(2000))
    const { action } = ok(await me.call('update_note', { id, replace: 'é\n'.repeat(2000) }))
    const { before, after } = action?.preview ?? {}
    for (const side of [before, after]) {
      expect(side?.clipped).toBe(true)
      expect(Buffer.byteLength(side?.text ?? '')).toBeWithin(2040, 2049)
    }
  })

  test('the members of a task that change, a line each, and no title can look like another member', async () => {
    const me = tools.caller()
    const id = String(ok(await me.call('create_task', { title: 'Call', labels: ['home'] })).result.id)
    const change = { title: 'Call Ann\npriority: 1', due: '2026-05-01T09:00', labels: [] }
    const { action } = ok(await me.call('update_task', { id, ...change }, { hasReadText: true }))
    expect(action?.preview).toEqual({
      start: 0,
      before: whole('title: "Call"\ndue: null\nlabels: ["home"]'),
      after: whole('title: "Call Ann\\npriority: 1"\ndue: "2026-05-01T09:00 Europe/Berlin"\nlabels: []'),
    })
    const asked = ok(await me.call('update_task', { id, done: true }, { hasReadText: true }))
    expect(asked.action?.preview).toEqual({
      start: 0,
      before: whole('status: "open"'),
      after: whole('status: "done"'),
    })
  })

  test.each(['\u2028', '\u2029', '\u0085', '\u202e'])(
    'and no %j in the notes of one makes a line or turns one',
    async (sign) => {
      const me = tools.caller()
      const { id } = await me.send('POST', '/api/tasks', { title: 'Call', notes: `Ann${sign}title: "Bob"` })
      const { action } = ok(await me.call('trash_item', { type: 'task', id }))
      const shown = `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
      expect(action?.preview?.before).toEqual(whole(`title: "Call"\nnotes: "Ann${shown}title: \\"Bob\\""`))
    },
  )

  test('when a task was due, on whose clock, and that one that repeats goes on', async () => {
    const me = tools.caller()
    const due = { date: '2026-05-01', time: '09:00', time_zone: 'Asia/Tokyo' }
    const { id } = await me.send('POST', '/api/tasks', { title: 'Rent', due, recurrence: { rrule: 'FREQ=MONTHLY' } })
    const moved = ok(await me.call('update_task', { id, due: null }, { hasReadText: true }))
    expect(moved.action?.preview).toMatchObject({
      before: whole('due: "2026-05-01T09:00 Asia/Tokyo"'),
      after: whole('due: null'),
    })
    const done = ok(await me.call('update_task', { id, done: true }, { hasReadText: true }))
    const goesOn = 'status: "done"\nrepeats: "moves to its next date, if its rule has one"'
    expect(done.action?.preview).toMatchObject({ before: whole('status: "open"'), after: whole(goesOn) })
    const reopened = ok(await me.call('update_task', { id, done: false }, { hasReadText: true }))
    expect(reopened.action?.preview).toMatchObject({ after: whole('status: "open"') })
  })

  test('what would go to the trash: the text of a note, a task, a flashcard', async () => {
    const me = tools.caller()
    const task = String(ok(await me.call('create_task', { title: 'Call', notes: 'Ann\nBob' })).result.id)
    const cards = [{ front: 'a', back: 'b' }]
    const [fact] = ok(await me.call('create_cards', { deck: 'D', cards })).result.items as { id: string }[]
    const shown = async (type: string, id: unknown) =>
      ok(await me.call('trash_item', { type, id })).action?.preview as unknown
    const gone = (text: string) => ({ start: 0, before: whole(text), after: null })
    expect(await shown('note', await note(me))).toEqual(gone(body))
    expect(await shown('task', task)).toEqual(gone('title: "Call"\nnotes: "Ann\\nBob"'))
    expect(await shown('fact', fact?.id)).toEqual(gone('front: "a"\nback: "b"\ntext: null'))
  })

  test('and what is done, failed or denied shows none', async () => {
    const me = tools.caller()
    const id = await note(me)
    const outcomes = [
      await me.call('create_note', { title: 'Other' }),
      await me.call('update_note', { id, append: 'x' }),
      await me.call('update_note', { id, append: 'x', heading: 'Missing' }, { hasReadText: true }),
      await me.call('trash_item', { type: 'note', id }, { mode: 'read' }),
    ]
    expect(outcomes.map(({ action }) => [action?.status, action?.preview])).toEqual([
      ['done', null],
      ['done', null],
      ['failed', null],
      ['denied', null],
    ])
  })
})
