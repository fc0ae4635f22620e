/** Room for so many at a time: whoever cannot be told to come again waits in line. */
export interface Slots {
  isFree(): boolean
  /** Resolves once there is room, first come, first served. */
  take(): Promise<void>
  /** Must follow on each `take`. */
  give(): void
}

export function createSlots(count: number): Slots {
  const line: (() => void)[] = []
  let taken = 0
  return {
    isFree: () => taken < count,
    async take() {
      if (taken === count) return new Promise((resolve) => line.push(resolve))
      taken += 1
    },
    give() {
      const next = line.shift()
      if (next) next()
      else taken -= 1
    },
  }
}
