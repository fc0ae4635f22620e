import { expect } from 'bun:test'
import type { Answer } from './world'

/** All items of a list, page by page, as `ask` answers for the path with each cursor. */
export async function paged(ask: (path: string) => Promise<Pick<Answer, 'status' | 'body'>>, path: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  const items: any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const to = cursor === '' ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`
    const { status, body } = await ask(to)
    expect([to, status]).toEqual([to, 200])
    items.push(...body.items)
    cursor = body.next_cursor
  }
  return items
}
