/** The properties of the scheduler for longer. */
import { test } from 'bun:test'
import {
  expectBetterIsLater,
  expectFirstInstants,
  expectPreviewIsAnswer,
  expectReplayIsMemory,
} from '../flashcards/scheduling/properties'

test('20,000 study days begin where no earlier instant is in them', () => expectFirstInstants(20_000))
test('200,000 previews are what the answers do', () => expectPreviewIsAnswer(200_000))
test('100,000 cards in review wait longer after a better rating', () => expectBetterIsLater(100_000))
test('20,000 logs replay to the memory that the answers left', () => expectReplayIsMemory(20_000))
