import { expect, test } from 'bun:test'
import { startEmbeddings } from '../../../eval/embeddings'
import { readConfig } from '../../../src/config'
import { createRemoteEncoder } from '../../../src/search/meaning/remote'

test('the model of the evaluation finds what is meant in other words, over HTTP', async () => {
  const { settings, stop } = await startEmbeddings()
  const { semantic } = readConfig(settings)
  if (!semantic) throw new Error('the settings name no model')
  const encoder = createRemoteEncoder(semantic, { now: Date.now, log: { info() {}, warn() {}, error() {} } })
  const [asked, meant, other] = await encoder.embed([
    'How long is the guarantee on the heating?',
    'The boiler warranty ends on 3 May 2027.',
    'Bread: flour, water, salt and a little patience.',
  ])
  expect([asked?.length, alike(asked, asked).toFixed(5)]).toEqual([384, '1.00000'])
  expect(alike(asked, meant)).toBeGreaterThan(alike(asked, other) + 0.1)
  await stop()
})

const alike = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
