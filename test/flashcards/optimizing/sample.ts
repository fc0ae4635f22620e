import { join } from 'node:path'
import type { HistoryStep } from '../../../src/flashcards/optimizing/history'
import { isRating } from '../../../src/flashcards/scheduling/snapshot'

/** The sample log of py-fsrs, a history for each card, each from day 0 on: see the README beside it. */
export async function sampleLog(): Promise<HistoryStep[][]> {
  const text = await Bun.file(join(import.meta.dir, '../../fixtures/flashcards/sample-log.txt')).text()
  return text.trim().split('\n').map(readCard)
}

function readCard(line: string): HistoryStep[] {
  let day = 0
  return line.split(' ').map((word) => {
    const [rating, elapsed] = [Number(word[0]), Number(word.slice(1))]
    if (!isRating(rating)) throw new Error(`${word} is no answer`)
    day += elapsed
    return { day, rating, elapsed }
  })
}
