import { afterAll, describe, expect, test } from 'bun:test'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** The source of notes and tasks; facts have tests of their own. */

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)

describe.each(['notes', 'tasks'])('the source of %s', (kind) => {
  const make = async (source: unknown, me = stranger()) => {
    const made = await world.call(me, 'POST', `/api/${kind}`, { title: 'A', source })
    return { ...made, me }
  }
  const NAMED = { system: 'web', id: '1', url: null }
  const PAGE = 'https://example.org/a?b=c'

  test.each([
    [{ system: 'web', id: '1' }, NAMED],
    [{ url: PAGE }, { system: null, id: null, url: PAGE }],
    [
      { system: 'web', id: '1', url: PAGE },
      { ...NAMED, url: PAGE },
    ],
    [{ system: null, id: null, url: null }, null],
    [{}, null],
    [null, null],
  ])('%j is stored as %j', async (sent, stored) => {
    const { status, body, me } = await make(sent)
    expect([status, body.source]).toEqual([201, stored])
    expect((await world.call(me, 'GET', `/api/${kind}/${body.id}`)).body.source).toEqual(stored)
  })

  test.each(
    [
      [{ system: 'web' }, '/source/id'],
      [{ id: '1' }, '/source/system'],
      [{ system: '', id: '1' }, '/source/system'],
      [{ system: 'x'.repeat(51), id: '1' }, '/source/system'],
      [{ system: 'x', id: 'y'.repeat(501) }, '/source/id'],
      [{ url: 'javascript:alert(1)' }, '/source/url'],
      [{ url: 'https://a b' }, '/source/url'],
      [{ url: `https://${'a'.repeat(2000)}` }, '/source/url'],
      [{ url: '' }, '/source/url'],
    ].map(([sent, pointer], i) => [`${i + 1}`, sent, pointer] as const),
  )('number %s is refused at its member', async (_, sent, pointer) => {
    const { status, body } = await make(sent)
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
  })

  test.each([
    [{ url: PAGE }, { ...NAMED, url: PAGE }],
    [{ id: '2' }, { ...NAMED, id: '2' }],
    [{ system: null, id: null }, null],
    [null, null],
    [{}, NAMED],
  ])('a patch merges %j', async (patch, stored) => {
    const { body, me } = await make({ system: 'web', id: '1' })
    const patched = await world.call(me, 'PATCH', `/api/${kind}/${body.id}`, { source: patch })
    expect([patched.status, patched.body.source]).toEqual([200, stored])
  })

  test('a patch that leaves half a name is refused', async () => {
    const { body, me } = await make({ system: 'web', id: '1' })
    expect((await world.call(me, 'PATCH', `/api/${kind}/${body.id}`, { source: { id: null } })).status).toBe(400)
  })

  test('several may come from one page, but not by one name', async () => {
    const { me, body } = await make({ system: 'web', id: '1', url: PAGE })
    expect((await make({ url: PAGE }, me)).status).toBe(201)
    expect((await make({ system: 'other', id: '1', url: PAGE }, me)).status).toBe(201)
    const again = await make({ system: 'web', id: '1' }, me)
    expect([again.status, again.body.existing_id]).toEqual([409, body.id])
    const third = await make({ system: 'web', id: '2' }, me)
    const patched = await world.call(me, 'PATCH', `/api/${kind}/${third.body.id}`, { source: { id: '1' } })
    expect([patched.status, patched.body.existing_id]).toEqual([409, body.id])
    await world.call(me, 'DELETE', `/api/${kind}/${body.id}`)
    expect((await make({ system: 'web', id: '1' }, me)).status).toBe(409)
    expect((await make({ system: 'web', id: '1' })).status).toBe(201)
  })

  test('its url counts towards the quota', async () => {
    const me = stranger()
    const size = async () => (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
    const sizes = [await size()]
    for (const source of [null, { url: PAGE }]) {
      await make(source, me)
      sizes.push(await size())
    }
    const [none = 0, plain = 0, withUrl = 0] = sizes
    expect(withUrl - plain).toBe(plain - none + PAGE.length)
  })
})
