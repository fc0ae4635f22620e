/** What tests of studying have in common: the shown card, and the ways there. */
import type { Page } from 'playwright-core'

/** The shown side of the shown card. */
export const card = (page: Page) => page.locator('.study-card:not([hidden]) > div:not([hidden])')

/** Waits until the shown side has a text. */
export const untilShown = (page: Page, text: string) => card(page).getByText(text).first().waitFor({ timeout: 8000 })

/** Goes to an address of the app, such as `#/study`, without loading it again. */
export const goTo = (page: Page, address: string) =>
  page.evaluate((hash) => {
    location.hash = hash
  }, address)

/** Answers the shown card, whose front has the text. */
export async function answerWith(page: Page, front: string, rating: string): Promise<void> {
  await untilShown(page, front)
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Good/ }).waitFor()
  await page.keyboard.press(rating)
}

/** How many entries a table of the kept copy has. */
export const countKept = (page: Page, key: string, table: string) =>
  page.evaluate(
    ([name, table]) =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open(name)
        opening.onsuccess = () => {
          const asked = opening.result.transaction(table).objectStore(table).count()
          asked.onsuccess = () => {
            opening.result.close()
            resolve(asked.result)
          }
        }
      }),
    [`satchel ${key}`, table] as const,
  )

/** Waits until all that is to be studied is kept. */
export async function untilDayKept(page: Page, key: string): Promise<void> {
  await page.waitForFunction(
    (name) =>
      new Promise((resolve) => {
        const opening = indexedDB.open(name)
        opening.onsuccess = () => {
          const asked = opening.result.transaction('queues').objectStore('queues').get('')
          asked.onsuccess = () => {
            opening.result.close()
            resolve(asked.result !== undefined)
          }
        }
      }),
    `satchel ${key}`,
  )
}
