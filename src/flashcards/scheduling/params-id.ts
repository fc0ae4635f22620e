import { DEFAULT_WEIGHTS, type SchedulingSettings } from './settings'

/**
 * Returns a digest of the settings that a schedule depends on, the same in every process: 16 digits of the weights, a
 * point, 16 digits of the rest.
 */
export function paramsId(settings: SchedulingSettings): string {
  const { desired_retention, maximum_interval_days, learning_steps_minutes, relearning_steps_minutes, fuzz } = settings
  const rest = [desired_retention, maximum_interval_days, learning_steps_minutes, relearning_steps_minutes, fuzz]
  return `${digest(settings.weights ?? DEFAULT_WEIGHTS)}.${digest(rest)}`
}

/** Whether two params_ids are of the same weights, so that memory is the same under both. */
export function haveSameWeights(one: string, other: string): boolean {
  return one.split('.')[0] === other.split('.')[0]
}

function digest(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}
