/** What tests of studying have in common: the shown card, and the ways there. */
import type { Page } from 'playwright-core'
import { until } from './app-session'
import { stored } from './session'

/** The shown side of the shown card. */
export const card = (page: Page) => page.locator('.study-card:not([hidden]) > div:not([hidden])')

/** Waits until the shown side has a text. */
export const untilShown = (page: Page, text: string) => card(page).getByText(text).first().waitFor()

/** Answers the shown card, whose front has the text. */
export async function answerWith(page: Page, front: string, rating: string): Promise<void> {
  await untilShown(page, front)
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Good/ }).waitFor()
  await page.keyboard.press(rating)
}

/** How many entries a table of the kept copy has, or has under one key. */
export const countKept = (page: Page, key: string, table: string, of?: string) =>
  page.evaluate(
    ([name, table, of]) =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open(name)
        opening.onsuccess = () => {
          const asked = opening.result.transaction(table).objectStore(table).count(of)
          asked.onsuccess = () => {
            opening.result.close()
            resolve(asked.result)
          }
        }
      }),
    [`satchel ${key}`, table, of] as const,
  )

/** Waits until the server has answered all that waited. The page says of what is on its way that it does not wait. */
export async function untilNoneWaits(page: Page): Promise<void> {
  const { chosen } = await stored(page)
  await until(
    () => countKept(page, chosen ?? '', 'writes'),
    (count) => count === 0,
  )
}

/** Waits until all that is to be studied is kept. */
export const untilDayKept = (page: Page, key: string) =>
  until(
    () => countKept(page, key, 'queues', ''),
    (count) => count === 1,
  )

/** A second of silence, as a sound of 8 kHz. */
export function makeSound(): Buffer {
  const head = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0',
    'latin1',
  )
  head.writeUInt32LE(36 + 8000, 4)
  head.writeUInt32LE(8000, 40)
  return Buffer.concat([head, Buffer.alloc(8000, 128)])
}
