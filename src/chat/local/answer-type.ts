import type { AnswerKind } from './question'

/**
 * How each kind of answer looks in English text. Wide on purpose: a match is a hint that raises a sentence among others
 * that share words with the question, never a reason to quote it alone.
 */
const LOOKS: Readonly<Record<AnswerKind, RegExp>> = {
  time: /\b(?:1\d{3}|20\d{2})s?\b|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock|uhr)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:century|centuries|decade|today|tomorrow|yesterday|noon|midnight|morning|evening|night|summer|winter|spring|autumn|weekends?|daily|weekly|monthly|yearly)\b/i,
  person:
    /(?<![.!?"“] |^)\b\p{Lu}\p{Ll}+ (?:(?:of|the|de|van|von|al-)\s?)*\p{Lu}|\b(?:Dr|Mr|Mrs|Ms|Prof|King|Queen|Sir|Lord|President|Emperor|Duke|Pope|Saint|St)\b|\b(?:mother|father|brother|sister|aunt|uncle|wife|husband|neighbou?r|plumber|electrician|doctor|dentist)\b|(?<=\s)\p{Lu}\p{Ll}+/u,
  place:
    /\b(?:in|at|near|from|to|under|behind|above|below|inside|beside|on|next to|between|across)\s+(?:the\s|a\s|an\s|my\s|our\s)?[\p{L}\d]/u,
  amount:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|third|quarter|once|twice|double|percent)\b/i,
  money:
    /[$€£¥₹]\s?\d|\d\s?[$€£¥₹]|\b\d[\d.,]*\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|francs?|cents?|million|billion)\b|\b(?:usd|eur|gbp|chf)\s?\d|\bfree\b/i,
  reason:
    /\b(?:because|since|due to|so that|in order to|owing to|therefore|reason|caused?|thanks to|result(?:s|ed)? (?:of|from|in)|as it|otherwise|to avoid|to prevent)\b/i,
  phone: /(?:\+|\b)\d(?:[ ()./-]?\d){5,}/,
  email: /[^\s@]@[\p{L}\d-]{1,63}\.[\p{L}\d]/u,
  link: /\bhttps?:\/\/|\bwww\.|\b[a-z\d-]{1,63}\.(?:com|org|net|io|dev|eu|de|uk|fr)\b/i,
}

/** True when the sentence holds something of the wanted kind. */
export const holdsAnswer = (sentence: string, wanted: AnswerKind): boolean => LOOKS[wanted].test(sentence)
