import { expect, test } from 'bun:test'
import { createProgressDisplay } from '../../src/cli/import'

/** What is written when the work of a file is shown on such an output. */
function written(output: { isTTY?: boolean; columns?: number }): string[] {
  const texts: string[] = []
  const progress = createProgressDisplay({ ...output, write: (text) => texts.push(text) })
  progress.say('Importing a.zip.')
  progress.show('reading', 0, null, 'Reading.')
  for (let done = 0; done <= 100; done++) progress.show('running', done, 100, `${done} of 100`)
  progress.show('running', 100, 100, '100 of 100')
  progress.end()
  progress.end()
  return texts
}

test('on a terminal it is one line that is written over, never as wide as the terminal, and goes', () => {
  const texts = written({ isTTY: true, columns: 30 })
  expect(texts.slice(0, 3)).toEqual([
    'Importing a.zip.\n',
    '\r\x1b[K[------------------------] Re',
    '\r\x1b[K[------------------------] 0 ',
  ])
  expect(texts.slice(1).filter((text) => text.includes('\n') || text.length > 29 + 4)).toEqual([])
  expect(texts).toContain('\r\x1b[K[############------------] 50')
  expect(texts.slice(-2)).toEqual(['\r\x1b[K[########################] 10', '\r\x1b[K'])
})

test('elsewhere it is a line at each phase and at each tenth', () => {
  expect(written({})).toEqual([
    'Importing a.zip.\n',
    'Reading.\n',
    ...Array.from({ length: 11 }, (_, i) => `${i * 10} of 100\n`),
  ])
})
