import { expect, test } from 'bun:test'
import { chooseMerge } from '../../src/search/indexing'
import { makeIndexed, OTHER, OWN } from './indexed'

test('however many texts are written, each is merged once for each power of eight, and segments stay few', () => {
  let sizes: number[] = []
  let written = 0
  for (let n = 0; n < 1563; n++) {
    sizes.push(64)
    for (;;) {
      const { from, count } = chooseMerge(sizes.map((size) => ({ current: size, documents: size })))
      if (count === 0) break
      const merged = sizes.slice(from, from + count).reduce((sum, one) => sum + one, 0)
      written += merged
      sizes = [...sizes.slice(0, from), merged, ...sizes.slice(from + count)]
    }
    expect(sizes.length).toBeLessThan(40)
  }
  expect(written / (1563 * 64)).toBeLessThan(5)
})

test('a text that cannot be indexed keeps no other workspace from its index, and is told', async () => {
  const indexed = await makeIndexed()
  await indexed.write(1, { body: 'good' })
  await indexed.write(1, { body: 'good' }, OTHER)
  indexed.texts.set(`${OWN} note 1`, {
    title: '',
    tags: [],
    get body(): string {
      throw new Error('a broken text')
    },
  })
  await expect(indexed.run()).rejects.toThrow('a broken text')
  expect(await indexed.segments(OTHER)).toHaveLength(1)
  indexed.texts.set(`${OWN} note 1`, { title: '', tags: [], body: 'mended' })
  await indexed.run()
  expect((await indexed.find('mended')).found).toHaveLength(1)
})
