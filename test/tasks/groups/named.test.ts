import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { titleKey } from '../../../src/lib/text'
import { runs } from '../../support/full'
import { type Caller, makeListsWorld, pick } from './support'

const world = await makeListsWorld()
afterAll(world.close)
const { stranger } = world

/** What all four kinds do alike. */
const KINDS = ['projects', 'sections', 'labels', 'filters'] as const
type Kind = (typeof KINDS)[number]

/** What one of the kind needs beside a name. */
async function basis(me: Caller, kind: Kind): Promise<object> {
  if (kind === 'sections') return { project_id: (await me.make('projects', { name: 'Home' })).id }
  return kind === 'filters' ? { filter: 'today' } : {}
}

describe.each(KINDS)('%s', (kind) => {
  test('have names of one line, neither blank nor longer than 100 code points', async () => {
    const me = stranger()
    const rest = await basis(me, kind)
    for (const name of ['', ' ', ' a', 'a\u3000', 'a\nb', 'a\u2028b', 'x'.repeat(101), '😀'.repeat(101)]) {
      const { status, body } = await me.ask('POST', `/api/tasks/${kind}`, { name, ...rest })
      expect([name, status, body.errors?.[0]?.pointer]).toEqual([name, 400, '/name'])
    }
    expect((await me.make(kind, { name: '😀'.repeat(100), ...rest })).name).toBe('😀'.repeat(100))
    expect((await me.make(kind, { name: 'A\u0308', ...rest })).name).toBe('Ä')
  })

  test('have names that no other has, in any case; one in the trash leaves its name free', async () => {
    const me = stranger()
    const rest = await basis(me, kind)
    const first = await me.make(kind, { name: 'Straße', ...rest })
    const second = await me.make(kind, { name: 'Weg', ...rest })
    const refused = [
      await me.ask('POST', `/api/tasks/${kind}`, { name: 'STRASSE', ...rest }),
      await me.change(kind, second.id, { name: 'straße' }),
    ]
    for (const { status, body } of refused) expect([status, body.existing_id]).toEqual([409, first.id])
    expect((await me.change(kind, first.id, { name: 'STRASSE' })).status).toBe(200)
    await me.drop(kind, first.id)
    expect((await me.change(kind, second.id, { name: 'Strasse' })).status).toBe(200)
    const { status, body } = await me.restore(kind, first.id)
    expect([status, body.code, body.existing_id]).toEqual([409, 'conflict', second.id])
  })

  test('keep their names unique under any history', async () => {
    const op = fc.record({
      what: fc.constantFrom('make', 'rename', 'trash', 'restore', 'erase'),
      which: fc.nat(5),
      name: fc.constantFrom('a', 'A', 'b', 'ß', 'SS', 'ß a', 'c'),
    })
    const history = async (ops: readonly { what: string; which: number; name: string }[]) => {
      const me = stranger()
      const rest = await basis(me, kind)
      const ids: string[] = []
      for (const { what, which, name } of ops) {
        const id = ids[which % ids.length] ?? 'none'
        if (what === 'make') {
          const { status, body } = await me.ask('POST', `/api/tasks/${kind}`, { name, ...rest })
          const holder = (await me.all(kind)).filter((item) => titleKey(item.name) === titleKey(name))
          expect([status, pick(holder, 'id')]).toEqual(status === 201 ? [201, [body.id]] : [409, [body.existing_id]])
          if (status === 201) ids.push(body.id)
        } else if (what === 'rename') await me.change(kind, id, { name })
        else if (what === 'restore') await me.restore(kind, id)
        else await me.drop(kind, id, what === 'erase' ? '?permanent=true' : '')
        const keys = (await me.all(kind)).map((item) => titleKey(item.name))
        expect(keys).toEqual([...new Set(keys)])
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(op, { minLength: 4, maxLength: 14 }), history), { numRuns: runs(8) })
  })
})

describe.each(['projects', 'sections', 'filters'] as const)('the order of %s', (kind) => {
  test('is that of any moves, made and restored ones, as in a list', async () => {
    const id = fc.nat(9)
    const spot = fc.option(id)
    const op = fc.oneof(
      fc.record({ what: fc.constant('make'), which: id, side: fc.constantFrom('after', 'before', 'none'), spot }),
      fc.record({ what: fc.constant('move'), which: id, side: fc.constantFrom('after', 'before'), spot }),
      fc.record({ what: fc.constant('toggle'), which: id, side: fc.constant('none'), spot }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 5, maxLength: 20 }), async (ops) => {
        const me = stranger()
        const rest = await basis(me, kind)
        // All in order, those in the trash where they were.
        let model: string[] = []
        const gone = new Set<string>()
        for (const [i, { what, which, side, spot }] of ops.entries()) {
          const living = model.filter((one) => !gone.has(one))
          const beside = spot === null || side === 'none' ? null : (living[spot % living.length] ?? null)
          const order = side === 'none' ? {} : { [side]: beside }
          const one = living[which % living.length]
          if (what === 'toggle') {
            const [other] = gone
            if (other && which % 2) await me.restore(kind, other).then(() => gone.delete(other))
            else if (one) await me.drop(kind, one).then(() => gone.add(one))
          } else if (what === 'make') {
            const made = await me.make(kind, { name: `n${i}`, ...rest, ...order })
            model = placed(model, made.id, side, beside)
          } else if (one) {
            const { status } = await me.change(kind, one, order)
            expect(status).toBe(beside === one ? 400 : 200)
            if (beside !== one) model = placed(model, one, side, beside)
          }
          expect(pick(await me.all(kind), 'id')).toEqual(model.filter((one) => !gone.has(one)))
        }
      }),
      { numRuns: runs(12) },
    )
  })

  test('is asked for beside a living one of the same list, on one side', async () => {
    const me = stranger()
    const rest = await basis(me, kind)
    const make = (name: string) => me.make(kind, { name, ...rest })
    const [a, b, c] = [await make('a'), await make('b'), await make('c')]
    await me.drop(kind, c.id)
    const foreign = await stranger().make('projects', { name: 'x' })
    for (const id of [b.id, c.id, foreign.id])
      expect((await me.change(kind, b.id, { after: id })).body.errors[0].code).toBe('not_a_sibling')
    expect((await me.change(kind, b.id, { after: a.id, before: a.id })).body.errors[0].pointer).toBe('/before')
    expect((await me.change(kind, b.id, { after: a.id })).body.revision).toBe(1)
    expect((await me.change(kind, b.id, { before: a.id })).body.revision).toBe(2)
  })
})

test('the order is kept with short positions, however often something is put between two', async () => {
  const me = stranger()
  const kind = 'sections'
  const rest = await basis(me, kind)
  const make = (name: string) => me.make(kind, { name, ...rest })
  const [a, b, c] = [await make('a'), await make('b'), await make('c')]
  // Each goes between the first and the other by turns, so that the gap halves each time.
  let [mover, other] = [b.id, c.id]
  let longest = 0
  let last = 0
  for (let i = 0; i < 1400; i++) {
    const { body } = await me.change(kind, other, { after: a.id })
    last = body.position.length
    longest = Math.max(longest, last)
    const [, second, third] = [a.id, other, mover]
    if (i % 250 === 249) expect(pick(await me.all(kind), 'id')).toEqual([a.id, second, third])
    ;[mover, other] = [other, mover]
  }
  expect(longest).toBeWithin(150, 201)
  expect(last).toBeLessThan(100)
})

/** The list with one thing put beside another, or first or last. */
function placed(list: readonly string[], id: string, side: string, beside: string | null): string[] {
  const others = list.filter((one) => one !== id)
  const at =
    beside === null ? (side === 'after' ? 0 : others.length) : others.indexOf(beside) + (side === 'after' ? 1 : 0)
  return others.toSpliced(at, 0, id)
}
