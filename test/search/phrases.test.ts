import { expect, test } from 'bun:test'
import { makeIndexed } from './indexed'

test('what ends in a beginning is found, whichever of several words that begin so stands there', async () => {
  const indexed = await makeIndexed()
  const bodies = [
    'date apricot fig apple',
    'apple fig date apricot',
    'date apple fig apricot',
    'apricot apron apple date apart',
    'date apron apple apricot apart',
    'date fig apple apricot',
    'apple date fig apricot',
    'apricot apple date',
  ]
  for (const [key, body] of bodies.entries()) await indexed.write(key, { body })
  await indexed.run()
  const keys = async (query: string) => (await indexed.find(query)).found.map(({ key }) => key).sort()
  expect(await keys('date-ap*')).toEqual([0, 1, 2, 3, 4])
  expect(await keys('date-apr*')).toEqual([0, 1, 4])
  expect(await keys('fig-ap*')).toEqual([0, 2, 5, 6])
})

test('a phrase is found wherever in a long text its words stand', async () => {
  const indexed = await makeIndexed()
  const far = (words: number) => `${'ash and so '.repeat(words)}ash birch`
  await indexed.write(0, { body: far(100) })
  await indexed.write(1, { body: far(6000) })
  await indexed.write(2, { body: far(100).replace('ash birch', 'birch ash') })
  await indexed.run()
  const { found } = await indexed.find('"ash birch"')
  expect(found.map(({ key }) => key).sort()).toEqual([0, 1])
})
