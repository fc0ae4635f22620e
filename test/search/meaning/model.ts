import type { Encoder } from '../../../src/search/meaning/remote'

/** A model for embeddings on the loopback: words that mean the same point the same way, all others where their letters tell. */

const MEANINGS: Readonly<Record<string, string>> = {
  car: 'car',
  automobile: 'car',
  vehicle: 'car',
  doctor: 'doctor',
  physician: 'doctor',
  money: 'money',
  cash: 'money',
}

export type Mode = 'answers' | 'fails' | 'hangs' | 'nonsense'

export function startModel(dimensions = 64) {
  const state = {
    mode: 'answers' as Mode,
    dimensions,
    /** Texts that it refuses, and how. */
    refuses: (_: string) => false,
    refusal: 503,
    /** Waited for before each answer. */
    before: async () => {},
    texts: [] as string[],
    calls: 0,
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { input } = (await request.json()) as { input: string[] }
      state.calls++
      await state.before()
      if (state.mode === 'hangs') return await new Promise<Response>(() => {})
      if (state.mode === 'fails') return new Response('no', { status: 503 })
      if (input.some(state.refuses)) return new Response('no', { status: state.refusal })
      if (state.mode === 'nonsense') return Response.json({ data: input.map(() => ({ embedding: ['x', null] })) })
      state.texts.push(...input)
      return Response.json({
        data: input.map((text, index) => ({ index, embedding: vectorOf(text, state.dimensions) })),
      })
    },
  })
  return { state, url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) }
}

/** The sum of a direction for each meaning in a text. */
export function vectorOf(text: string, dimensions: number): number[] {
  const sum = new Array<number>(dimensions).fill(0)
  sum[0] = 0.01
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let seed = Bun.hash.xxHash32(MEANINGS[word] ?? word)
    for (let i = 0; i < dimensions; i++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      sum[i] = (sum[i] ?? 0) + seed / 2 ** 31 - 1
    }
  }
  return sum
}

/** The same without a server, for what is tested below it. */
export function encoderOf(dimensions = 32): Encoder {
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => {
      const vector = Float32Array.from(vectorOf(text, dimensions))
      const length = Math.hypot(...vector)
      return vector.map((number) => number / length)
    })
  return { name: 'words', embed, embedInTime: embed }
}
