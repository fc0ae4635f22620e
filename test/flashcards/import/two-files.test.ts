import { describe, expect, test } from 'bun:test'
import { recounted } from '../../support/recounted'
import type { As } from '../../support/world'
import { packageOf } from '../anki/build'
import { BASIC } from '../anki/support'
import { makeTransferWorld } from '../transfer-support'

// What one file brought, or a person wrote, another file does not replace because it has the same front.

const world = recounted(await makeTransferWorld())

const bring = async (me: As, format: string, file: string | Uint8Array) => {
  const dry = (await world.send(me, `${format}&dry_run=true`, file)).body
  const { body } = await world.send(me, format, file)
  expect(dry.resources).toEqual(body.resources)
  return body.items
    .filter(({ type }: { type: string }) => type === 'fact')
    .map(({ action, warnings }: { action: string; warnings: { code: string }[] }) =>
      [action, ...warnings.map(({ code }) => code)].join(' '),
    )
}
const texts = async (me: As) =>
  (await world.all(me, '/facts'))
    .map(({ front, back, tags }) => [front, back, ...(tags as string[])].join('|'))
    .toSorted()
const packed = (back: string) =>
  packageOf('legacy1', {
    decks: [{ id: 100, name: 'Deck' }],
    notetypes: [BASIC],
    notes: [{ id: 1_772_000_000_000, mid: BASIC.id, fields: ['banco', back], mod: 1_772_000_000 }],
    cards: [{ id: 11, nid: 1_772_000_000_000, did: 100 }],
  })

describe.each<[string, string, (front: string, back: string) => string]>([
  ['CSV', 'format=csv', (front, back) => `${front},${back}\n`],
  ['tabs, as of Mnemosyne', 'format=tsv', (front, back) => `${front}\t${back}\n`],
])('two files of %s', (_, format, line) => {
  const [money, street] = [line('banco', 'bank') + line('sol', 'sun'), line('banco', 'bench') + line('sol', 'sun')]

  test('with other backs of one front are two facts, and a repeat of either changes nothing', async () => {
    const me = world.stranger()
    expect(await bring(me, format, money)).toEqual(['created', 'created'])
    const first = await world.all(me, '/facts')
    expect(await bring(me, format, street)).toEqual(['created same_front', 'unchanged'])
    expect(await texts(me)).toEqual(['banco|bank', 'banco|bench', 'sol|sun'])
    for (const file of [money, street]) expect(await bring(me, format, file)).toEqual(['unchanged', 'unchanged'])
    const all = await world.all(me, '/facts')
    expect(all).toHaveLength(3)
    expect(first.map(({ id }) => all.find((fact) => fact.id === id))).toEqual(first)
  })

  test('replace each other where the request says so', async () => {
    const me = world.stranger()
    await bring(me, format, money)
    expect(await bring(me, `${format}&on_duplicate=update`, street)).toEqual(['updated', 'unchanged'])
    expect(await bring(me, `${format}&on_duplicate=skip`, money)).toEqual(['skipped', 'skipped'])
    expect(await texts(me)).toEqual(['banco|bench', 'sol|sun'])
  })

  test('leave what was written here', async () => {
    const me = world.stranger()
    const deck = (await world.call(me, 'POST', '/decks', { name: 'Mine' })).body
    await world.call(me, 'POST', '/facts', { deck_id: deck.id, type: 'basic', front: 'banco', back: 'mine' })
    expect(await bring(me, format, money)).toEqual(['created same_front', 'created'])
    expect(await texts(me)).toEqual(['banco|bank', 'banco|mine', 'sol|sun'])
  })
})

test('one front with two backs in one file is two facts', async () => {
  const me = world.stranger()
  const file = 'banco,bank\nbanco,bench\nbanco,bank\n'
  expect(await bring(me, 'format=csv', file)).toEqual(['created', 'created same_front', 'unchanged repeated'])
  expect(await bring(me, 'format=csv', file)).toEqual(['unchanged', 'unchanged', 'unchanged repeated'])
  expect(await texts(me)).toEqual(['banco|bank', 'banco|bench'])
})

test('the same texts in two files are one fact, which keeps the tags of both', async () => {
  const me = world.stranger()
  await bring(me, 'format=csv', 'front,back,tags\nbanco,bank,money\n')
  const other = 'front,back,tags\nbanco,bank,town\n'
  expect(await bring(me, 'format=csv', other)).toEqual(['updated'])
  expect(await bring(me, 'format=csv', other)).toEqual(['unchanged'])
  expect(await texts(me)).toEqual(['banco|bank|money|town'])
})

test('facts with sources are known by them alone: a text file takes nothing from a package of Anki, nor it from the text', async () => {
  const me = world.stranger()
  await bring(me, 'format=csv', 'banco,bank\n')
  expect(await bring(me, 'format=apkg', packed('bench'))).toEqual(['created same_front'])
  const anki = (await world.all(me, '/facts')).filter(({ source }) => source !== null)
  expect(await bring(me, 'format=csv', 'banco,seat\n')).toEqual(['created same_front'])
  expect((await world.all(me, '/facts')).filter(({ source }) => source !== null)).toEqual(anki)
  const sourced = (id: string, back: string) => `front,back,source_system,source_id\nsol,${back},mine,${id}\n`
  expect(await bring(me, 'format=csv', sourced('1', 'sun'))).toEqual(['created'])
  expect(await bring(me, 'format=csv', sourced('2', 'ground'))).toEqual(['created'])
  expect(await bring(me, 'format=csv', sourced('1', 'the sun'))).toEqual(['updated'])
  expect((await texts(me)).filter((text) => text.startsWith('sol'))).toEqual(['sol|ground', 'sol|the sun'])
})
