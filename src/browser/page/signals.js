// What a page must hold besides words before it asks for a person: fields, pictures, sliders, controls. All displayed.

const signal = (name) => once(`signal ${name}`, signals[name]);

// What a control or field is called: by its attributes, its labels, its own words.
const calledOf = (element) => {
  const called = once("called", () => new WeakMap());
  if (!called.has(element)) {
    const names = ["name", "id", "placeholder", "aria-label", "title", "alt", "value", "autocomplete"];
    const attributes = names.filter((name) => name !== "value" || element.localName !== "input" || pressable.has(element.type))
      .map((name) => element.getAttribute(name) ?? "");
    const labels = element.localName === "input" ? labelsOf(element) : [];
    called.set(element, told([...attributes, ...labels].join(" ")));
  }
  return called.get(element);
};

const textFields = "input:not([type]), input[type=text], input[type=tel], input[type=number], input[type=search], input[type=password][autocomplete~=one-time-code], input[type=email], input[type=url]";
const buttons = "button, a, input[type=button], input[type=submit], input[type=image], [role=button], [class*=btn i], [class*=button i], span[onclick], div[onclick]";

// The displayed controls with such words. Words are looked at before it is asked what is displayed, which is dear.
const saysControl = (source) => inPage(buttons).filter((each) => {
  const named = told(each.localName === "input" ? each.value || each.alt || "" : each.getAttribute("aria-label") ?? "");
  const words = each.localName === "input" ? named : wordsIn(each);
  if (words.length > 120 || !(pattern(anywhere(source)).test(words) || pattern(source).test(named)) || !displayed(each)) return false;
  const shown = each.localName === "input" ? named : shownIn(each) || named;
  return shown.length <= 30 && pattern(source).test(shown);
});

const notLoginCode = /coupon|promo|voucher|gift|invit|referr|redeem|zip|postal|post ?code|country|area ?code|discount|room|bar ?code|qr ?code|product|sku|tracking|优惠|兑换|邀请|推荐|礼品|邮编|邮政|激活|区号|折扣|序列|单号|学号|工号|股票|代码|提取码|取件|房间|团购|会员码|集团|课程/;
const certainCode = /one-time-code|\b(otp|otc|totp|mfa|2fa)|totppin|idvpin|sms-?_?code|two-?_?(factor|step)|one[- ]?time|authenticat(or|ion) code|passcode|login code|sign-?in code|动态(码|密码|口令)|短信(验证)?码|手机(验证|校验)码|邮箱(验证|校验)码|身份验证器|口令卡|安全令牌|\d[- ]?digit|\d位(数字)?(验证码|校验码|动态)/;
const perhapsCode = /验证码|校验码|安全码|认证码|verif\w* ?code|verify-?_?code|vcode|auth-?_?code|security code|captcha-?_?code|phone-?_?code|mobile-?_?code|email-?_?code|\bcode\b|check-?_?code|\bpin\b|confirmation code/;
const sendWords = "(获取|发送|重发|重新(获取|发送)|点击获取|免费获取)[^。]{0,6}(验证码|校验码|短信|动态)?|(send|get|resend|request|text me|email me)[^.]{0,14}(code|sms|text)|^\\(?\\d{1,3} ?(s|秒)|(s|秒)后?(重发|重新)|语音验证码";
const sentWords = ["验证码[^。]{0,6}(已|将)[^。]{0,6}(发送|发至|发到|下发)", "已(向|发送|发至|将)[^。]{0,30}(验证码|短信|手机|邮箱)", "发送(至|到|给)", "(code|message|text)[^.]{0,20}(sent|texted|emailed)",
  "(sent|texted|emailed)[^.]{0,30}(code|message)", "enter (the|your|a)?[^.]{0,30}code", "输入[^。]{0,20}(验证码|校验码|动态码|安全码)", "\\d{2,3} ?\\*{2,} ?\\d{2,4}", "\\w\\*{2,}\\w*@", "authenticator", "身份验证器",
  "two[- ](step|factor)", "2-step", "multi[- ]factor", "(登录|安全|身份|二次|两步|双重|二步|设备|手机)(验证|校验|认证)", "verify (it's you|your)", "打开[^。]{0,12}(验证器|令牌)"];
const settingsWords = ["设置", "绑定", "开启", "启用", "偏好", "(^| )(settings|preferences|profile)", "set up", "enable (two|2|mfa|multi)", "enroll", "security settings"];

const distance = (one, other) => {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  const across = Math.max(0, a.left - b.right, b.left - a.right);
  const down = Math.max(0, a.top - b.bottom, b.top - a.bottom);
  return Math.hypot(across, down);
};

const ofPictureName = /captcha|verif|valid|vcode|kaptcha|yzm|check-?_?code|auth-?_?code|securimage|rand-?_?code|img-?_?code|验证码|看不清|换一张|security code|characters/;
const pictureNames = (picture) => `${calledOf(picture)} ${namesOf(picture)} ${(picture.getAttribute("src") ?? "").split("/").slice(-2).join("/").toLowerCase()}`;
const ofPictureField = /captcha|图形|图片|验证码|校验码|附加码|verif\w* ?code|validate|vcode|yzm|kaptcha|check-?_?code|security code|characters|shown|\bcode\b|看不清|计算结果/;

const isCodeBoxes = (fields) => {
  const boxes = fields.filter((field) => field.maxLength === 1 || (field.getAttribute("maxlength") === "1"));
  return boxes.length >= 4 && boxes.length <= 8 ? boxes.slice(0, 1) : [];
};

// Another way in that is displayed: then a code or a picture to scan is only one of several.
const passwordWay = /^(使用)?(账号|账户|密码|账密|用户名|账号密码|密码账号|手机号)(密码)?登录$|^(log|sign) ?in with (a |your )?(password|email)$|^(use )?(a |your )?password( log ?in| sign[- ]?in)?$/;
const otherWayIn = () => once("other way", () => !known.how.sent &&
  (signal("password").length > 0 ||
    inPage(`${buttons}, [role=tab], li, [class*=tab i], span, label`).some((each) =>
      wordsIn(each).length <= 40 && passwordWay.test(wordsIn(each)) && displayed(each) && passwordWay.test(shownIn(each)))));

const isSettings = (field) => {
  const overlay = overlayOf(field);
  const heads = overlay ? [] : [...shownInPage("h1, h2, h3, legend, [role=heading]")].map(shownIn);
  return [...heads, overlay ? "" : told(document.title)].some((words) => saysAny(words, settingsWords));
};

const signals = {
  password: () => shownInPage("input[type=password]:not([autocomplete~=one-time-code])"),
  "two passwords": () => {
    const fields = signal("password");
    return fields.length >= 2 || fields.some((field) => field.autocomplete === "new-password") ? fields : [];
  },
  // Fields for a code that was sent, or that a device shows.
  code: () => {
    const fields = shownInPage(textFields).filter((field) => !field.disabled && !field.readOnly);
    const pictured = new Set(signal("picture code field"));
    const own = fields.filter((field) => !signal("password").some((each) => groupOf(each) && contains(groupOf(each), field)));
    const found = own.filter((field) => {
      const called = calledOf(field);
      const strong = (field.getAttribute("autocomplete") ?? "").includes("one-time-code");
      if (pictured.has(field) || (notLoginCode.test(called) && !strong)) return false;
      if (isSettings(field) && !known.how.everywhere && !(known.target && groupOf(field) && onPath(field, known.target))) return false;
      if (strong || certainCode.test(called)) return known.how.signIn || !otherWayIn() || strong;
      return perhapsCode.test(called) && !otherWayIn() &&
        (signal("send").some((each) => contains(around(field), each)) || saysShort(scopeOf(field), sentWords, 1500));
    });
    const boxed = isCodeBoxes(own.filter((field) => !pictured.has(field)));
    return [...found, ...(boxed.length && !notLoginCode.test(shownIn(around(boxed[0]))) ? boxed : [])];
  },
  send: () => saysControl(sendWords),
  // A picture with letters, near the field that asks for them.
  "picture code": () => signal("pictures").filter((picture) => signal("code-like").some((field) =>
    distance(picture, field) <= 200 && (!groupOf(field) || !groupOf(picture) || groupOf(field) === groupOf(picture)) &&
    (ofPictureName.test(pictureNames(picture)) ||
      (/图形|图片|captcha|characters|shown|看不清|计算/.test(calledOf(field)) && contains(around(field), picture)) ||
      (/验证码|校验码|附加码|captcha/.test(calledOf(field)) && distance(picture, field) <= 60 && !signal("send").some((each) => contains(around(field), each)))))),
  "picture code field": () => signal("code-like").filter((field) => signal("picture code").some((picture) => distance(picture, field) <= 200)),
  "code-like": () => shownInPage(textFields).filter((field) => ofPictureField.test(calledOf(field)) && !/coupon|promo|zip|postal|邮编|优惠|邀请|兑换/.test(calledOf(field))),
  pictures: () => shownInPage("img, canvas, svg, input[type=image]").filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width >= 40 && box.height >= 15 && box.width <= 400 && box.height <= 200;
  }),
  // Something to drag, or a picture to work on.
  puzzle: () => [...shownInPage("canvas, [role=slider], input[type=range]"),
    ...inPage("[class], [id]").filter((each) => {
      if (!/[^a-z](slider?|slide|drag|draggable|handle|handler|puzzle|jigsaw|captcha|verify|verification|block|gap|thumb|track|rotate)[^a-z]/.test(namesOf(each))) return false;
      const box = each.getBoundingClientRect();
      return box.width >= 15 && box.height >= 10 && displayed(each);
    }),
    ...shownInPage("img").filter((each) => each.getBoundingClientRect().width >= 100)],
  video: () => shownInPage("video, canvas, [class*=camera i], [class*=face i]"),
  // A square picture with a code to scan.
  qr: () => shownInPage("img, canvas, svg, [class*=qr i], [id*=qr i]").filter((each) => {
    const box = each.getBoundingClientRect();
    const ratio = box.width / box.height;
    return box.width >= 90 && box.width <= 360 && ratio > 0.8 && ratio < 1.25;
  }),
  "name and number": () => {
    const called = (wanted) => shownInPage("input").filter((field) => wanted.test(calledOf(field)));
    const numbers = called(/id-?_?card|id-?_?(no|num)|identity|身份证|证件|cert-?_?no|passport|ssn|national id/);
    return numbers.length ? numbers : shownInPage("input[type=file]").filter((field) => /id|身份|证件|passport|licen/.test(calledOf(field)));
  },
  "other way in": () => (otherWayIn() ? [document.body] : []),
  agree: () => [...saysControl("同意|接受|agree|accept|确认并继续"), ...shownInPage("input[type=checkbox], [role=checkbox]")],
  // A way past what is asked.
  skip: () => [...saysControl("^(我?知道了|好的?|稍后.{0,6}|以后再说|跳过|关闭|暂不.{0,4}|下次再说|忽略|不再提醒|later|not now|got it|skip.{0,12}|close|dismiss|remind me later|maybe later|no,? thanks|ok(ay)?|×|x|✕|✖|╳)$"),
    ...shownInPage("[class*=close i]:not(body):not(div[class*=close i]:has(button)), [aria-label=close i], [aria-label=关闭]").filter((each) => shownIn(each).length <= 4)],
  approve: () => saysControl("^(authori[sz]e.{0,30}|allow.{0,20}|accept|approve|grant.{0,20}|confirm|continue|agree.{0,20}|同意.{0,8}|允许.{0,6}|确认.{0,6}|授权.{0,6})$"),
  button: () => shownInPage(buttons),
  // The only field of a page that is not about settings.
  "lone field": () => signal("input").filter((field, _, all) => all.length === 1 && !isSettings(field)),
  input: () => shownInPage(textFields),
  // Anything of a known vendor, wherever it stands.
  widget: () => shownInPage("[class*=captcha i], [id*=captcha i], .cf-turnstile, [class*=geetest], [class*=yidun], .nc-container, [id^=nc_], [class*=slider i], [class*=verify-slide i]")
    .concat(shownInPage("iframe").filter((frame) => /recaptcha|hcaptcha|turnstile|captcha|arkose/.test(addressOfFrame(frame).split(/[?#]/)[0]))),
  "way to verify": () => saysControl("^(去|前往|立即|马上|点击|进行|开始|完成|请)?(安全)?验证.{0,2}$|^(verify|start verification|verify now|complete (the )?(check|verification)|i am human).{0,4}$"),
  "way to appeal": () => saysControl("申诉|客服|解封|解冻|解锁|找回|appeal|contact|support|recover|unlock"),
  "error status": () => (statusOfPage() >= 400 ? [document.body] : []),
  "no controls": () => (shownInPage("input, button, select, textarea").length === 0 ? [document.body] : []),
};
