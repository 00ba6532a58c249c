import type { Behaviour, SmscScript } from './smsc-script.ts';

/**
 * What happens to a submit: the first rule with its prefix whose share it is drawn for, else what the script does
 * otherwise.
 * @param destination as the client writes it, with or without `+`
 * @param random from 0 to 1; asked once for each rule that could apply to a part of the submits
 */
export function chooseBehaviour(
  { rules, otherwise }: Pick<SmscScript, 'rules' | 'otherwise'>,
  destination: string,
  random: () => number,
): Behaviour {
  const digits = destination.startsWith('+') ? destination.slice(1) : destination;
  const rule = rules.find(({ prefix, share }) => digits.startsWith(prefix) && (share >= 1 || random() < share));
  return rule?.behaviour ?? otherwise;
}
