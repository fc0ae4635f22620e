/** The time as screens show it: it goes on while they are open. */
import { computed, signal } from '@preact/signals'

const TICK_MS = 20_000

/** Milliseconds since 1970, at most 20 seconds old while the page is visible. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, TICK_MS)
addEventListener('visibilitychange', () => {
  now.value = Date.now()
})

/** The zone that the device is in. */
export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Today where the device is, as YYYY-MM-DD. */
export const today = computed(() => dateOf(new Date(now.value)))

/** The time of day where the device is, as HH:MM. */
export const timeOfDay = computed(() => timeOf(new Date(now.value)))

/** The local time of a moment, as HH:MM. */
export const timeOf = (moment: Date) => moment.toTimeString().slice(0, 5)

/** The local date of a moment, as YYYY-MM-DD. */
export function dateOf(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
}
