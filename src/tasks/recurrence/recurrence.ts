/** The face of the recurrence rules: reading and writing them, and the dates they give. */

export {
  FIRST_DAY,
  firstOccurrence,
  isOccurrence,
  LAST_DAY,
  nextOccurrence,
  occurrences,
  type Series,
} from './expand'
export { parseRule } from './parse'
export { printRule } from './print'
export { type Rule, type RuleDay, RuleError, type Skip } from './rule'
